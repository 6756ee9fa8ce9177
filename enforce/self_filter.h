/* self_filter.h - the system calls that snug's helper processes keep */
#pragma once

#include "enforce/self.h"

/* Load the allow list of @role; everything else answers EPERM, foreign call tables kill. Needs no_new_privs. */
int self_filter(enum self_role role, struct err *e) MUST;
