/* term.h - how wide and how colourful the place of a report is */
#pragma once

#include "base/base.h"

#include <stdbool.h>

/**
 * struct term
 * @tty:    somebody looks at it
 * @colour: tty, and neither NO_COLOR nor TERM=dumb speaks against
 * @width:  columns; 100 where it is no terminal
 */
struct term {
	bool tty, colour;
	unsigned width;
};

struct term term_of(int fd, char *const *envp);
