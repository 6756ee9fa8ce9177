/* listening.h - does anybody listen on a loopback port? */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* In the network of process @pid. Return: 1 yes, 0 no, -errno cannot be known. */
int port_listening(pid_t pid, uint16_t port);
