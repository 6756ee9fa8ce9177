/* lean.h - a process that only waits from now on gives its pages back */
#pragma once

/**
 * lean() - drop the pages of program code that this process has looked at
 *
 * They come back one by one where they are needed again. Two processes wait while a command runs, for hours perhaps: what
 * they used to get there is no longer theirs to hold, and at the end it need not be unmapped while somebody waits.
 */
void lean(void);
