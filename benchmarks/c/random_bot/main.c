/* A bot that plays at random and costs next to nothing, so that what is measured is the referee.
 *
 * It speaks wire protocol 1 (docs/protocol.md) over a Unix socket. It knows the rules of vasa (docs/rules.md), works
 * out every distinct legal turn of its roll from the position in the turn alone, and plays one of them, all equally
 * likely. C11 and libc only.
 *
 *     random_bot [--legal] [--window N] [--seed N] [--think-us N] [--sleep-us N] [--record FILE]
 *
 * --legal    asks the arena for the legal turns and answers with the index of one; then any ruleset will do
 * --window   how many turns the arena may have out to it at once; all that came are answered in one write
 * --seed     for the bot's own choices and what it gives for the dice; without it the operating system gives both
 * --think-us microseconds of CPU time that it burns over every turn; 0 unless said otherwise
 * --sleep-us microseconds that it sleeps over every turn; 0 unless said otherwise
 * --record   appends every turn and its answer to a file, each a whole frame: what pingpong replays
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "msgpack.h"
#include "vasa.h"

static int arena;
static bool wants_legal;
static unsigned window = 1;
static long long think_us;
static long long sleep_us;
static FILE *recording;
static uint8_t outbox[1 << 18];
static size_t waiting_to_go;

static void send_all(void)
{
    for (size_t sent = 0; sent < waiting_to_go;) {
        ssize_t number = write(arena, outbox + sent, waiting_to_go - sent);
        if (number < 0 && errno == EINTR)
            continue;
        if (number <= 0)
            fail("writing to the arena: %s", strerror(errno));
        sent += (size_t)number;
    }
    waiting_to_go = 0;
}

/* It leaves when everything that came has been dealt with. */
static void send_answer(void)
{
    if (waiting_to_go + written > sizeof outbox)
        send_all();
    memcpy(outbox + waiting_to_go, answer, written);
    waiting_to_go += written;
}

static void log_in(void)
{
    const char *name = getenv("ARENA_NAME"), *token = getenv("ARENA_TOKEN");
    if (!name || !token)
        fail("ARENA_NAME and ARENA_TOKEN say who logs in; the arena sets them");
    begin_frame(wants_legal ? 7 : 6, "login");
    put_text("protocol");
    put_number(1);
    put_text("name");
    put_text(name);
    put_text("version");
    put_text(wants_legal ? "C, asks" : "C, knows vasa");
    put_text("token");
    put_text(token);
    put_text("window");
    put_number(window);
    if (wants_legal) {
        put_text("wants");
        put(0x91);
        put_text("legal");
    }
    end_frame();
    send_answer();
}

static void get_ready(struct reader message)
{
    struct value match = get(message, "match", TEXT);
    if (!wants_legal) {
        struct reader ruleset;
        if (!find(message, "ruleset", &ruleset))
            fail("a match without a ruleset");
        struct value name = get(ruleset, "name", TEXT);
        if (!is(name, "vasa") && !is(name, "swedish-tables"))
            fail("the ruleset is %.*s and I know vasa only; start me with --legal", (int)name.number, name.bytes);
    }
    begin_frame(2, "match_ready"); // without a commitment: this bot adds nothing to the dice, and reveals nothing
    put_text("match");
    put_text_of(match.bytes, (size_t)match.number);
    end_frame();
    send_answer();
}

static long long cpu_us(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return used.tv_sec * 1000000LL + used.tv_nsec / 1000;
}

static void think(void)
{
    if (think_us)
        for (long long end = cpu_us() + think_us; cpu_us() < end;)
            ;
    if (sleep_us) {
        struct timespec pause = {sleep_us / 1000000, sleep_us % 1000000 * 1000};
        nanosleep(&pause, NULL);
    }
}

static void play(struct reader message, const uint8_t *frame, size_t frame_size)
{
    think();
    begin_frame(4, "play");
    put_text("game");
    put_number((uint64_t)get(message, "game", INTEGER).number);
    put_text("turn");
    put_number((uint64_t)get(message, "turn", INTEGER).number);
    if (wants_legal) {
        struct value legal = get(message, "legal", ARRAY);
        put_text("choice");
        put_number(below((uint32_t)legal.number));
    } else {
        int dice[2], moves[MOST_DICE][2];
        struct reader position;
        numbers(message, "dice", dice, 2);
        if (!find(message, "position", &position))
            fail("a turn without a position");
        set_up(position);
        int number = choose(dice[0], dice[1], moves);
        put_text("moves");
        put(0x90 | (unsigned)number);
        for (int i = 0; i < number; i++) {
            put(0x92);
            put_number((uint64_t)moves[i][0]);
            put_number((uint64_t)moves[i][1]);
        }
    }
    end_frame();
    send_answer();
    if (recording) {
        fwrite(frame, 1, frame_size, recording);
        fwrite(answer, 1, written, recording);
    }
}

/* Deals with one frame; false when the arena has said goodbye. */
static bool take(const uint8_t *frame, size_t size)
{
    struct reader message = {frame + 4, frame + size};
    struct value type = get(message, "type", TEXT);
    if (is(type, "turn")) {
        play(message, frame, size);
    } else if (is(type, "hello")) {
        log_in();
    } else if (is(type, "match_start")) {
        get_ready(message);
    } else if (is(type, "ping")) {
        struct reader data;
        begin_frame(2, "pong");
        put_text("data");
        put_number(find(message, "data", &data) ? (uint64_t)next(&data).number : 0);
        end_frame();
        send_answer();
    } else if (is(type, "rejected") || is(type, "error")) {
        struct value text = get(message, "message", TEXT);
        fail("%.*s: %.*s", (int)type.number, type.bytes, (int)text.number, text.bytes);
    }
    return !is(type, "bye");
}

static void connect_to_arena(void)
{
    const char *address = getenv("ARENA_ADDRESS");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (!address || strncmp(address, "unix:", 5) || strlen(address + 5) >= sizeof to.sun_path)
        fail("ARENA_ADDRESS must be unix:/path/of/socket");
    strcpy(to.sun_path, address + 5);
    arena = socket(AF_UNIX, SOCK_STREAM, 0);
    if (arena < 0 || connect(arena, (struct sockaddr *)&to, sizeof to))
        fail("connecting to %s: %s", address, strerror(errno));
}

int main(int number, char **arguments)
{
    static uint8_t buffer[4 + 262144];
    size_t filled = 0;

    for (int i = 1; i < number; i++) {
        bool has_value = i + 1 < number;
        if (!strcmp(arguments[i], "--legal"))
            wants_legal = true;
        else if (!strcmp(arguments[i], "--seed") && has_value)
            chance = strtoull(arguments[++i], NULL, 10);
        else if (!strcmp(arguments[i], "--think-us") && has_value)
            think_us = strtoll(arguments[++i], NULL, 10);
        else if (!strcmp(arguments[i], "--sleep-us") && has_value)
            sleep_us = strtoll(arguments[++i], NULL, 10);
        else if (!strcmp(arguments[i], "--window") && has_value)
            window = (unsigned)strtoul(arguments[++i], NULL, 10);
        else if (!strcmp(arguments[i], "--record") && has_value)
            recording = fopen(arguments[++i], "ab");
        else
            fail("usage: random_bot [--legal] [--window N] [--seed N] [--think-us N] [--sleep-us N] [--record FILE]");
    }
    while (!chance)
        chance = from_system();

    reserve();
    connect_to_arena();
    for (;;) {
        ssize_t got = read(arena, buffer + filled, sizeof buffer - filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail("reading from the arena: %s", strerror(errno));
        if (got == 0)
            return 0;
        filled += (size_t)got;
        size_t start = 0;
        while (filled - start >= 4) {
            struct reader header = {buffer + start, buffer + start + 4};
            size_t size = 4 + (size_t)big_endian(&header, 4);
            if (size > sizeof buffer)
                fail("a frame of %zu bytes, longer than the protocol allows", size);
            if (filled - start < size)
                break;
            if (!take(buffer + start, size))
                return 0;
            start += size;
        }
        send_all();
        filled -= start;
        memmove(buffer, buffer + start, filled);
    }
}
