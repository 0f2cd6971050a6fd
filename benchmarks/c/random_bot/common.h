/* What every part of the bot uses: how it fails, and chance. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

/* Ends the program with a line on standard error. */
_Noreturn void fail(const char *format, ...);

/* The state of xorshift64*, more than good enough to choose turns; never 0. */
extern uint64_t chance;

/* A number that the operating system takes from chance. */
uint64_t from_system(void);

/* A number from 0 to limit - 1. */
uint32_t below(uint32_t limit);

#endif
