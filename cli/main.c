/* main.c - finds the verb in the table and runs it */
#include <stdio.h>

int main(void)
{
	fprintf(stderr, "snug: not there yet\n");
	return 125;
}
