#include "msgpack.h"

#include <string.h>

#include "common.h"

uint64_t big_endian(struct reader *in, unsigned size)
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

struct value next(struct reader *in)
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

bool is(struct value text, const char *word)
{
    size_t length = strlen(word);
    return text.kind == TEXT && (size_t)text.number == length && !memcmp(text.bytes, word, length);
}

bool find(struct reader map, const char *key, struct reader *found)
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

struct value get(struct reader map, const char *key, enum kind kind)
{
    struct reader found;
    if (!find(map, key, &found))
        fail("a message without %s", key);
    struct value value = next(&found);
    if (value.kind != kind)
        fail("a message with %s of the wrong form", key);
    return value;
}

void numbers(struct reader map, const char *key, int *into, int number)
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

uint8_t answer[8192];
size_t written;

void put(unsigned byte)
{
    answer[written++] = (uint8_t)byte;
}

static void put_big_endian(uint64_t value, unsigned size)
{
    while (size--)
        put(value >> (8 * size) & 255);
}

void put_number(uint64_t value)
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

void put_bytes(const void *bytes, size_t length)
{
    if (length > 1024)
        fail("a string of %zu bytes to send", length);
    memcpy(answer + written, bytes, length);
    written += length;
}

void put_text_of(const void *bytes, size_t length)
{
    if (length < 32) {
        put(0xa0 | (unsigned)length);
    } else {
        put(0xda);
        put_big_endian(length, 2);
    }
    put_bytes(bytes, length);
}

void put_text(const char *text)
{
    put_text_of(text, strlen(text));
}

void begin_frame(unsigned fields, const char *type)
{
    written = 4;
    put(0x80 | fields);
    put_text("type");
    put_text(type);
}

void end_frame(void)
{
    size_t length = written - 4;
    written = 0;
    put_big_endian(length, 4);
    written = length + 4;
}
