/* exec.h - find a command in the confined PATH and become it; private to enforce/ */
#pragma once

#include <stdbool.h>

/**
 * exec_command() - execve @argv, looked up in PATH of @env where its name has no '/'
 * @there: set when it failed although a file of that name exists: with ENOENT its interpreter is missing
 *
 * Return: errno, only on failure.
 */
int exec_command(char *const *argv, char *const *env, bool *there);
