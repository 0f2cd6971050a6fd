/* A bot that plays at random and costs next to nothing, so that what is measured is the referee.
 *
 * It speaks wire protocol 1 (docs/protocol.md) over a Unix socket. It knows the rules of vasa (docs/rules.md), works
 * out every distinct legal turn of its roll from the position in the turn alone, and plays one of them, all equally
 * likely. C11 and libc only.
 *
 *     random_bot [--legal] [--window N] [--seed N] [--think-us N] [--record FILE]
 *
 * --legal    asks the arena for the legal turns and answers with the index of one; then any ruleset will do
 * --window   how many turns the arena may have out to it at once; all that came are answered in one write
 * --seed     for the bot's own choices and what it gives for the dice; without it the operating system gives both
 * --think-us microseconds of CPU time that it burns over every turn; 0 unless said otherwise
 * --record   appends every turn and its answer to a file, each a whole frame: what pingpong.c replays
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("random_bot: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* ---- chance: xorshift64*, more than good enough to choose turns ---- */

static uint64_t chance;

static uint64_t from_system(void)
{
    uint64_t value = 0;
    FILE *file = fopen("/dev/urandom", "rb");
    if (!file || fread(&value, sizeof value, 1, file) != 1)
        fail("no random numbers from /dev/urandom");
    fclose(file);
    return value;
}

static uint32_t below(uint32_t limit)
{
    chance ^= chance >> 12;
    chance ^= chance << 25;
    chance ^= chance >> 27;
    return (uint32_t)((chance * 0x2545F4914F6CDD1DULL >> 32) * limit >> 32);
}

/* ---- reading msgpack: just what the protocol lets through ---- */

enum kind { NIL, BOOLEAN, INTEGER, TEXT, BYTES, ARRAY, MAP };

struct reader {
    const uint8_t *at, *end;
};

struct value {
    enum kind kind;
    int64_t number; /* of an integer or boolean; otherwise how many bytes, elements or pairs follow */
    const uint8_t *bytes;
};

static uint64_t big_endian(struct reader *in, unsigned size)
{
    uint64_t value = 0;
    if ((size_t)(in->end - in->at) < size)
        fail("a frame ends in the middle of a value");
    while (size--)
        value = value << 8 | *in->at++;
    return value;
}

static struct value sized(struct reader *in, enum kind kind, uint64_t number)
{
    struct value value = {kind, (int64_t)number, in->at};
    if (kind == TEXT || kind == BYTES) {
        if ((uint64_t)(in->end - in->at) < number)
            fail("a frame ends in the middle of a string");
        in->at += number;
    }
    return value;
}

static struct value next(struct reader *in)
{
    unsigned tag = (unsigned)big_endian(in, 1);
    if (tag < 0x80 || tag >= 0xe0)
        return (struct value){INTEGER, tag < 0x80 ? (int)tag : (int)tag - 256, NULL};
    if (tag < 0x90)
        return sized(in, MAP, tag & 15);
    if (tag < 0xa0)
        return sized(in, ARRAY, tag & 15);
    if (tag < 0xc0)
        return sized(in, TEXT, tag & 31);
    switch (tag) {
    case 0xc0:
        return (struct value){NIL, 0, NULL};
    case 0xc2:
    case 0xc3:
        return (struct value){BOOLEAN, tag & 1, NULL};
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return sized(in, BYTES, big_endian(in, 1u << (tag - 0xc4)));
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        return (struct value){INTEGER, (int64_t)big_endian(in, 1u << (tag - 0xcc)), NULL};
    case 0xd0:
        return (struct value){INTEGER, (int8_t)big_endian(in, 1), NULL};
    case 0xd1:
        return (struct value){INTEGER, (int16_t)big_endian(in, 2), NULL};
    case 0xd2:
        return (struct value){INTEGER, (int32_t)big_endian(in, 4), NULL};
    case 0xd3:
        return (struct value){INTEGER, (int64_t)big_endian(in, 8), NULL};
    case 0xd9:
    case 0xda:
    case 0xdb:
        return sized(in, TEXT, big_endian(in, 1u << (tag - 0xd9)));
    case 0xdc:
    case 0xdd:
        return sized(in, ARRAY, big_endian(in, 2u << (tag - 0xdc)));
    case 0xde:
    case 0xdf:
        return sized(in, MAP, big_endian(in, 2u << (tag - 0xde)));
    default:
        fail("a value of msgpack type %02x, which the protocol does not have", tag);
    }
}

static void skip(struct reader *in)
{
    struct value value = next(in);
    int64_t inside = value.kind == ARRAY ? value.number : value.kind == MAP ? 2 * value.number : 0;
    while (inside--)
        skip(in);
}

static bool is(struct value text, const char *word)
{
    size_t length = strlen(word);
    return text.kind == TEXT && (size_t)text.number == length && !memcmp(text.bytes, word, length);
}

/* Moves a copy of `map` to the value of a key; false if the map has no such key. */
static bool find(struct reader map, const char *key, struct reader *found)
{
    struct value head = next(&map);
    if (head.kind != MAP)
        fail("a value that should be a map and is none");
    while (head.number--) {
        if (is(next(&map), key)) {
            *found = map;
            return true;
        }
        skip(&map);
    }
    return false;
}

static struct value get(struct reader map, const char *key, enum kind kind)
{
    struct reader found;
    if (!find(map, key, &found))
        fail("a message without %s", key);
    struct value value = next(&found);
    if (value.kind != kind)
        fail("a message with %s of the wrong form", key);
    return value;
}

/* Reads an array of exactly `number` integers. */
static void numbers(struct reader map, const char *key, int *into, int number)
{
    struct reader found;
    if (!find(map, key, &found))
        fail("a position without %s", key);
    struct value head = next(&found);
    if (head.kind != ARRAY || head.number != number)
        fail("%s is no list of %d", key, number);
    for (int i = 0; i < number; i++) {
        struct value value = next(&found);
        if (value.kind != INTEGER)
            fail("%s holds something else than integers", key);
        into[i] = (int)value.number;
    }
}

/* ---- writing msgpack: one frame at a time ---- */

static uint8_t answer[8192];
static size_t written;

static void put(unsigned byte)
{
    answer[written++] = (uint8_t)byte;
}

static void put_big_endian(uint64_t value, unsigned size)
{
    while (size--)
        put(value >> (8 * size) & 255);
}

static void put_number(uint64_t value)
{
    if (value < 128) {
        put((unsigned)value);
    } else if (value < 65536) {
        put(0xcd);
        put_big_endian(value, 2);
    } else {
        put(0xcf);
        put_big_endian(value, 8);
    }
}

static void put_bytes(const void *bytes, size_t length)
{
    if (length > 1024)
        fail("a string of %zu bytes to send", length);
    memcpy(answer + written, bytes, length);
    written += length;
}

static void put_text_of(const void *bytes, size_t length)
{
    if (length < 32) {
        put(0xa0 | (unsigned)length);
    } else {
        put(0xda);
        put_big_endian(length, 2);
    }
    put_bytes(bytes, length);
}

static void put_text(const char *text)
{
    put_text_of(text, strlen(text));
}

static void begin_frame(unsigned fields, const char *type)
{
    written = 4;
    put(0x80 | fields);
    put_text("type");
    put_text(type);
}

static void end_frame(void)
{
    size_t length = written - 4;
    written = 0;
    put_big_endian(length, 4);
    written = length + 4;
}

/* ---- the rules of vasa ----
 *
 * What a turn can change fits into 128 bits, which are also what tells two results apart: the mover's checkers on the
 * slots 0 (bar), 1-24 and 25 (off), four bits each, and the points where the opponent was hit or struck. Of the
 * opponent nothing else moves. Points are the mover's numbers throughout.
 */

enum { BAR = 0, HEAD = 12, OFF = 25, SLOTS = 26, MOST_DICE = 4 };
enum { MOST_NODES = 1 << 13, LARGE = 1 << 14, SMALL = 1 << 10 };
enum ending { NONE, BORNE_OFF, HANDSOME, JAN, FORCED_JAN };

#define POINT(p) (1u << (p))
static const uint32_t Q1 = 0x7e, THEIR_Q1 = 0x7e000; /* 1-6, and 13-18, which are 1-6 to the opponent */

/* A place in the search: a row of moves that is legal move by move. */
struct node {
    uint64_t low;  /* slots 0-15 */
    uint64_t high; /* slots 16-25 in bits 0-39, taken point p in bit 39 + p */
    int parent;
    uint8_t from, to, dice_used, first_die, waste, ending;
};

static struct {
    int theirs[SLOTS]; /* as the turn began; slot 0 is their bar */
    uint32_t theirs_any, theirs_closed;
} board;

static struct node nodes[MOST_NODES];
static int node_count;

/* Which nodes there are already: open addressing, emptied by counting `round` up. A roll that is no double has fewer
 * than 500 nodes, and all of them then lie close together in memory; a double can have some 4,000. */
static struct {
    uint64_t low, high;
    uint32_t tag, round;
} table[LARGE];
static uint32_t round_now, table_size;

static bool is_new(uint64_t low, uint64_t high, uint32_t tag)
{
    uint64_t mixed = (low ^ (high + tag) * 0x9E3779B97F4A7C15ULL) * 0xD6E8FEB86659FD93ULL;
    for (uint32_t i = mixed >> 32 & (table_size - 1);; i = (i + 1) & (table_size - 1)) {
        if (table[i].round != round_now) {
            table[i].low = low;
            table[i].high = high;
            table[i].tag = tag;
            table[i].round = round_now;
            return true;
        }
        if (table[i].low == low && table[i].high == high && table[i].tag == tag)
            return false;
    }
}

static unsigned count(const struct node *node, int slot)
{
    return slot < 16 ? node->low >> (4 * slot) & 15 : node->high >> (4 * (slot - 16)) & 15;
}

static void add(struct node *node, int slot, int64_t number)
{
    if (slot < 16)
        node->low += (uint64_t)number << (4 * slot);
    else
        node->high += (uint64_t)number << (4 * (slot - 16));
}

static uint32_t taken(const struct node *node)
{
    return (uint32_t)(node->high >> 39) & ~1u;
}

static int bits(uint32_t mask)
{
    int number = 0;
    for (; mask; mask &= mask - 1)
        number++;
    return number;
}

/* B6.3: the points of runs of six or more; a run does not go on from 24 to 1. */
static uint32_t long_primes(uint32_t closed)
{
    uint32_t run = closed;
    for (int i = 1; i < 6; i++)
        run &= run >> 1;
    for (int i = 1; i < 6; i++)
        run |= run << 1;
    return run;
}

static enum ending ending_of(const struct node *node, uint32_t hit, bool is_strike)
{
    if (hit) {
        uint32_t gone = taken(node);
        int waiting = board.theirs[BAR];
        for (int p = 1; p <= 24; p++)
            if (gone & POINT(p))
                waiting += board.theirs[p];
        int room = 6 - bits(board.theirs_any & ~gone & THEIR_Q1);
        if (waiting > room)
            return is_strike ? FORCED_JAN : JAN; /* B9.1, B9.2 */
    }
    if (count(node, OFF) == 15)
        return BORNE_OFF; /* B7.7 */
    switch (node->high >> 16 & 0xfffff) { /* points 20-24; B8.1, B8.3 */
    case 0x33333:
    case 0x55500:
    case 0x75300:
    case 0xf0000:
        return HANDSOME;
    }
    return NONE;
}

static void step(int parent, int from, int to, int die, int dice_used, bool is_strike, bool is_double)
{
    if (node_count == MOST_NODES)
        fail("more than %d ways to play a roll", MOST_NODES);
    const struct node *before = &nodes[parent];
    struct node *after = &nodes[node_count];
    *after = *before;
    after->parent = parent;
    after->from = (uint8_t)from;
    after->to = (uint8_t)to;
    after->dice_used = (uint8_t)dice_used;
    if (dice_used == 1)
        after->first_die = (uint8_t)die;
    if (to == OFF)
        after->waste = (uint8_t)(before->waste + die - (OFF - from)); /* B7.2 */
    add(after, from, -1);
    add(after, to, 1);
    uint32_t hit = to == OFF ? 0 : board.theirs_any & ~taken(before) & POINT(to);
    if (hit)
        after->high |= 1ull << (39 + to);
    after->ending = (uint8_t)ending_of(after, hit, is_strike);
    /* Rows that come to the same thing are followed once; with one die of two used it matters which. */
    uint32_t tag = (uint32_t)dice_used << 8 | (uint32_t)after->ending << 4;
    if (dice_used == 1 && !is_double)
        tag |= (uint32_t)die;
    if (is_new(after->low, after->high, tag))
        node_count++;
}

/* Every move of one checker by one die. */
static void steps(int parent, int die, int dice_used, bool is_double)
{
    const struct node *node = &nodes[parent];
    uint32_t own = 0;
    int rearmost = 0;
    for (int p = 24; p >= 1; p--)
        if (count(node, p)) {
            own |= POINT(p);
            rearmost = p;
        }
    unsigned waiting = count(node, BAR);
    uint32_t closed = board.theirs_closed & ~taken(node);
    uint32_t strikeable = long_primes(closed); /* B6.3 */
    if (waiting && waiting > (unsigned)bits(Q1 & ~own & ~closed))
        strikeable |= closed & Q1; /* B5.5 */
    if (count(node, OFF) == 14)
        strikeable = 0; /* B5.6 */

    for (int from = waiting ? BAR : 1; from <= (waiting ? BAR : 24); from++) { /* B5.1 */
        if (from != BAR && !(own & POINT(from)))
            continue;
        int to = from + die;
        if (to >= OFF) {
            if (rearmost >= 19 && from == rearmost) /* B7.1, B7.4 */
                step(parent, from, OFF, die, dice_used, false, is_double);
            continue;
        }
        if (to < HEAD && own & POINT(to))
            continue; /* B4.3, B4.4, B5.2 */
        if (closed & ~strikeable & POINT(to))
            continue; /* B4.1 */
        step(parent, from, to, die, dice_used, closed & POINT(to), is_double);
    }
}

/* Works out every legal turn of a roll and writes the moves of one of them; gives their number. */
static int choose(int first, int second, int moves[MOST_DICE][2])
{
    bool is_double = first == second;
    int dice = is_double ? 4 : 2;
    int begin = 0, end = 1;
    table_size = is_double ? LARGE : SMALL;
    round_now++;
    node_count = 1;
    for (int used = 1; used <= dice; used++) { /* B3.1, B3.2 */
        for (int i = begin; i < end; i++) {
            if (nodes[i].ending)
                continue;
            if (is_double || used == 1)
                steps(i, first, used, is_double);
            if (!is_double && (used == 1 || nodes[i].first_die == first))
                steps(i, second, used, is_double);
            else if (!is_double)
                steps(i, first, used, is_double);
        }
        begin = end;
        end = node_count;
    }

    /* What the roll obliges to, over all ways of playing it, those that end the game included (B3.6). */
    int most = nodes[node_count - 1].dice_used; /* B3.3: nodes come by the number of their dice */
    int higher = 0, least = 1000;
    for (int i = node_count - 1; i >= 0 && nodes[i].dice_used == most; i--)
        if (nodes[i].first_die > higher)
            higher = nodes[i].first_die;
    for (int i = node_count - 1; i >= 0 && nodes[i].dice_used == most; i--)
        if ((most != 1 || nodes[i].first_die == higher) && nodes[i].waste < least)
            least = nodes[i].waste;

    static int legal[MOST_NODES];
    uint32_t number = 0;
    round_now++;
    for (int i = 0; i < node_count; i++) {
        const struct node *node = &nodes[i];
        bool is_enough = node->dice_used == most && (most != 1 || node->first_die == higher) /* B3.3, B3.4 */
                         && node->waste == least;                                            /* B7.6 */
        if ((node->ending || is_enough) && is_new(node->low, node->high, node->ending))
            legal[number++] = i;
    }
    int chosen = legal[below(number)];
    int length = nodes[chosen].dice_used;
    for (int i = chosen; nodes[i].dice_used; i = nodes[i].parent) {
        moves[nodes[i].dice_used - 1][0] = nodes[i].from;
        moves[nodes[i].dice_used - 1][1] = nodes[i].to;
    }
    return length;
}

static void set_up(struct reader position)
{
    int points[24], bar[2], off[2];
    numbers(position, "points", points, 24);
    numbers(position, "bar", bar, 2);
    numbers(position, "off", off, 2);
    memset(&nodes[0], 0, sizeof nodes[0]);
    memset(&board, 0, sizeof board);
    add(&nodes[0], BAR, bar[0]);
    add(&nodes[0], OFF, off[0]);
    board.theirs[BAR] = bar[1];
    for (int p = 1; p <= 24; p++) {
        int number = points[p - 1];
        if (number > 0) {
            add(&nodes[0], p, number);
        } else if (number < 0) {
            board.theirs[p] = -number;
            board.theirs_any |= POINT(p);
            if (number < -1)
                board.theirs_closed |= POINT(p);
        }
    }
}

/* ---- the conversation ---- */

static int arena;
static bool wants_legal;
static unsigned window = 1;
static long long think_us;
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
        else if (!strcmp(arguments[i], "--window") && has_value)
            window = (unsigned)strtoul(arguments[++i], NULL, 10);
        else if (!strcmp(arguments[i], "--record") && has_value)
            recording = fopen(arguments[++i], "ab");
        else
            fail("usage: random_bot [--legal] [--window N] [--seed N] [--think-us N] [--record FILE]");
    }
    while (!chance)
        chance = from_system();

    memset(table, 0, sizeof table); /* have the memory now, not while the arena is being measured */
    memset(nodes, 0, sizeof nodes);
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
