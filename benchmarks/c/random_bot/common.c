#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

uint64_t chance;

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("random_bot: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

uint64_t from_system(void)
{
    uint64_t value = 0;
    FILE *file = fopen("/dev/urandom", "rb");
    if (!file || fread(&value, sizeof value, 1, file) != 1)
        fail("no random numbers from /dev/urandom");
    fclose(file);
    return value;
}

uint32_t below(uint32_t limit)
{
    chance ^= chance >> 12;
    chance ^= chance << 25;
    chance ^= chance >> 27;
    return (uint32_t)((chance * 0x2545F4914F6CDD1DULL >> 32) * limit >> 32);
}
