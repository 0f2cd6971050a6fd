/* How fast two processes can exchange the frames of a match when nobody looks at them.
 *
 *     pingpong FILE EXCHANGES [CPU [CPU]]
 *
 * FILE holds whole frames, each with its four bytes of length: a turn, its answer, the next turn and so on, as
 * random_bot --record writes them. One process sends the turns and the other answers, over a pair of Unix sockets,
 * one write and at least one read for every frame. Both run on the given CPU, else on the first they may use; the one
 * that answers on the second, if there is one. Prints the microseconds for one exchange, there and back.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

enum { WARM_UP = 2000 };

struct frame {
    const uint8_t *bytes;
    size_t size;
};

static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("pingpong: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static size_t size_of(const uint8_t *bytes)
{
    return 4 + ((size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3]);
}

static struct frame *load(const char *path, size_t *number)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail("%s: %s", path, strerror(errno));
    size_t length = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(length + 4);
    struct frame *frames = malloc((length / 4 + 1) * sizeof *frames);
    if (!bytes || !frames || fread(bytes, 1, length, file) != length)
        fail("%s cannot be read", path);
    fclose(file);
    *number = 0;
    for (size_t at = 0; at < length; at += frames[(*number)++].size) {
        frames[*number] = (struct frame){bytes + at, length - at < 4 ? 4 : size_of(bytes + at)};
        if (frames[*number].size > length - at)
            fail("%s ends in the middle of a frame", path);
    }
    if (*number < 2 || *number % 2)
        fail("%s does not hold pairs of frames", path);
    return frames;
}

static void pin(int cpu)
{
#ifdef __linux__
    cpu_set_t set;
    if (cpu < 0) {
        if (sched_getaffinity(0, sizeof set, &set))
            fail("which CPUs there are: %s", strerror(errno));
        for (cpu = 0; !CPU_ISSET(cpu, &set); cpu++) {
        }
    }
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set))
        fail("CPU %d: %s", cpu, strerror(errno));
#else
    (void)cpu; /* no way to do it that is the same everywhere; the figure is then that of two CPUs */
#endif
}

static void put(int to, struct frame frame)
{
    while (frame.size) {
        ssize_t number = write(to, frame.bytes, frame.size);
        if (number <= 0)
            fail("writing: %s", strerror(errno));
        frame.bytes += number;
        frame.size -= (size_t)number;
    }
}

static void take(int from)
{
    static uint8_t buffer[4 + 262144];
    size_t filled = 0;
    while (filled < 4 || filled < size_of(buffer)) {
        ssize_t number = read(from, buffer + filled, sizeof buffer - filled);
        if (number <= 0)
            fail("reading: %s", number ? strerror(errno) : "the other process is gone");
        filled += (size_t)number;
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int number, char **arguments)
{
    if (number < 3)
        fail("usage: pingpong FILE EXCHANGES [CPU [CPU]]");
    size_t frame_count;
    struct frame *frames = load(arguments[1], &frame_count);
    long exchanges = strtol(arguments[2], NULL, 10);
    if (exchanges < 1)
        fail("EXCHANGES must be 1 or more");
    pin(number > 3 ? atoi(arguments[3]) : -1);

    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        fail("socketpair: %s", strerror(errno));
    pid_t child = fork();
    if (child < 0)
        fail("fork: %s", strerror(errno));
    if (child == 0 && number > 4)
        pin(atoi(arguments[4]));
    int end = ends[child == 0];
    close(ends[child != 0]);
    double began = 0;
    for (long i = -WARM_UP; i < exchanges; i++) {
        size_t pair = 2 * ((size_t)(i + WARM_UP) % (frame_count / 2));
        if (i == 0)
            began = now();
        if (child) {
            put(end, frames[pair]);
            take(end);
        } else {
            take(end);
            put(end, frames[pair + 1]);
        }
    }
    if (child) {
        printf("%.3f\n", (now() - began) / (double)exchanges * 1e6);
        waitpid(child, NULL, 0);
    }
    return 0;
}
