// Record batches of any Arrow producer, read through the Arrow C data interface (its three structs are the ABI of
// https://arrow.apache.org/docs/format/CDataInterface.html), as columns of the few kinds that events know.
//
//   ArrowSchema + ArrowArray  --Batch::read-->  columns  --Batch::decode, a block of rows-->  Decoded
//
// Batch::columns holds the fields of the batch first, in the producer's order; a struct is replaced by its fields under
// dotted names. After these come the parts that fields point to: dictionaries, elements of lists, keys and items of
// maps. Numbers, names and kinds of columns follow from the schema alone, so they are the same for all batches of a
// stream.
//
// What becomes what
//   bool                                               COLUMN_BOOL
//   int8 .. int64, uint8 .. uint32                     COLUMN_INT
//   uint64                                             COLUMN_UINT64
//   float16, float32, float64                          COLUMN_REAL, NaN is absent
//   decimal32 .. decimal256                            COLUMN_INT if its digits always are an integer of at most 18
//                                                      digits (scale <= 0), else COLUMN_REAL: the nearest double, and
//                                                      beside it `whole` for integers that no double holds
//   utf8, large_utf8, utf8 view                        COLUMN_STRING
//   date32, date64, timestamp (zone or not)            COLUMN_TIME, microseconds since 1970 UTC
//   list, large, fixed-size, list view of the above    COLUMN_LIST
//   map<string, any of the above>                      COLUMN_MAP
//   dictionary or run-end encoded scalars              the kind of the values, with `dictionary` >= 0
//   everything else                                    COLUMN_UNSUITABLE, which is no error until it is decoded
//
// The producer is trusted for the sizes of its buffers, which the interface does not tell; lengths, counts of buffers
// and children, dictionary codes, list offsets and string views are checked, and std::invalid_argument names the
// column. A Batch only looks at the producer's memory. Decoding is const: threads share a Batch, each with its own
// Decoded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "boolsieve/buffer.hpp"

namespace boolsieve {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

enum ColumnKind {
    COLUMN_NULL,
    COLUMN_BOOL,
    COLUMN_INT,
    COLUMN_UINT64,
    COLUMN_REAL,
    COLUMN_STRING,
    COLUMN_TIME,
    COLUMN_LIST,
    COLUMN_MAP,
    COLUMN_UNSUITABLE
};

enum class Storage : uint8_t {
    none,
    bits,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    float32,
    float64,
    decimal,
    utf8,
    large_utf8,
    utf8_view,
    list,
    large_list,
    fixed_list,
    list_view,
    large_list_view,
    structure
};

enum class Indirection : uint8_t { none, codes, runs };

struct ColumnType {
    ColumnKind kind = COLUMN_UNSUITABLE;
    Storage storage = Storage::none;  // of the values; of the codes or run ends where there is an indirection
    Indirection indirection = Indirection::none;
    std::string type;      // for people: "decimal128(10, 2)"
    int32_t width = 0;     // bytes of a decimal, or elements of a fixed-size list
    int32_t scale = 0;     // of a decimal
    int64_t multiply = 1;  // a stored time to microseconds: first this, then divide
    int64_t divide = 1;
};

struct Mask {  // a validity bitmap: row i of the column is bit offset + i
    const uint8_t* bits;
    int64_t offset;
};

struct Column : ColumnType {
    std::string name;         // dotted for the fields of structs; a part has the name of its field
    int64_t length = 0;       // rows
    int32_t dictionary = -1;  // the column of the distinct values (run-end encoded: of the runs)
    int32_t child = -1;       // the column of a list's elements or a map's keys
    int32_t items = -1;       // the column of a map's items

    // Row i is element offset + i of the buffers.
    int64_t offset = 0;
    const void* values = nullptr;            // values, codes, run ends, offsets or views
    const void* data = nullptr;              // the bytes of strings, or the sizes of list views
    const void* const* variadic = nullptr;   // string views: the buffers of long strings
    const void* variadic_lengths = nullptr;  // string views: int64, one a variadic buffer
    int64_t n_variadic = 0;
    std::vector<Mask> masks;  // its own and those of the structs around it
    const ArrowSchema* schema = nullptr;
    const ArrowArray* array = nullptr;
};

// Memory that is kept from block to block and never filled for its own sake.
template <class T>
class Room {
  public:
    T* room(size_t n) {
        if (n > capacity_) {
            memory_.reset();
            capacity_ = 0;
            memory_.reset(new T[n]);
            capacity_ = n;
        }
        return memory_.get();
    }

  private:
    std::unique_ptr<T[]> memory_;
    size_t capacity_ = 0;
};

// A decoded block of n rows. Pointers that the column's kind does not use are nullptr; the others have n entries, also
// for absent rows, whose entries are readable but have no meaning. They point into the producer's buffers or into the
// scratch memory here, which the next block reuses.
struct Decoded {
    const uint8_t* valid = nullptr;           // 1 or 0 a row; nullptr: all rows are present
    const uint8_t* bools = nullptr;           // COLUMN_BOOL: 1 or 0
    const int64_t* integers = nullptr;        // COLUMN_INT; COLUMN_TIME: microseconds, rounded down
    const uint64_t* naturals = nullptr;       // COLUMN_UINT64
    const double* reals = nullptr;            // COLUMN_REAL
    const uint8_t* whole = nullptr;           // COLUMN_REAL of decimals: 1 where no double holds the value, which is
                                              // exactly integers[i]; nullptr: nowhere
    const uint8_t* inside = nullptr;          // COLUMN_TIME: 1 where the instant lies strictly between integers[i] and
                                              // the next microsecond, or beyond int64 (integers[i] is then the nearest
                                              // int64); nullptr: nowhere
    const char* const* text = nullptr;        // COLUMN_STRING: UTF-8, not terminated
    const uint32_t* text_length = nullptr;    // in bytes
    const int32_t* codes = nullptr;           // after decode_codes: the row in the dictionary, -1 where absent
    const int64_t* part_offsets = nullptr;    // COLUMN_LIST and COLUMN_MAP, n + 1 entries: the parts of row i are
                                              // [part_offsets[i], part_offsets[i + 1]) of what decode_parts gives
    int64_t part_count = 0;                   // part_offsets[n]
    int64_t part_start = 0;                   // where the parts lie in their column ...
    const int64_t* part_positions = nullptr;  // ... unless they are scattered: the place of each

    Room<uint8_t> valid_room, byte_room;
    Room<int64_t> integer_room, position_room, offset_room;
    Room<double> real_room;
    Room<const char*> text_room;
    Room<uint32_t> length_room;
    Room<int32_t> code_room;
    Room<uint64_t> natural_room;

    void clear() noexcept {
        valid = bools = whole = inside = nullptr;
        integers = part_offsets = part_positions = nullptr;
        naturals = nullptr;
        reals = nullptr;
        text = nullptr;
        text_length = nullptr;
        codes = nullptr;
        part_count = part_start = 0;
    }
};

namespace arrow {

// Producers nest as deep as they like; the C++ library of Arrow itself stops here, too.
constexpr int MAX_DEPTH = 64;

[[noreturn]] inline void fail(const std::string& column, const std::string& problem) {
    throw std::invalid_argument("column '" + column + "' " + problem);
}

// Buffers need not be aligned; for aligned ones this is a plain load, and loops over it vectorise.
template <class T>
inline T load(const void* values, int64_t i) noexcept {
    T value;
    std::memcpy(&value, static_cast<const char*>(values) + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
}

template <class T>
inline bool is_aligned(const void* values) noexcept {
    return reinterpret_cast<uintptr_t>(values) % alignof(T) == 0;
}

inline bool bit(const uint8_t* bits, int64_t i) noexcept { return bits[i >> 3] >> (i & 7) & 1; }

// Which rows of a column a block takes: a range, or scattered ones (of a dictionary, of the elements of list views).
struct Range {
    int64_t start;
    int64_t operator()(int64_t i) const noexcept { return start + i; }
    bool present(int64_t) const noexcept { return true; }
};

struct Scattered {
    const int64_t* positions;  // -1: absent, and any row may be read instead
    int64_t operator()(int64_t i) const noexcept { return positions[i] < 0 ? 0 : positions[i]; }
    bool present(int64_t i) const noexcept { return positions[i] >= 0; }
};

// Eight bits become eight bytes: each byte of the product holds all bits, the mask leaves byte i its bit i.
inline uint64_t spread(uint64_t byte) noexcept {
    uint64_t x = byte * 0x0101010101010101u & 0x8040201008040201u;
    return (x + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
}

// Bits [start, start + n) as bytes of 0 and 1, ANDed to what is there unless `first`; `out` has room for 8 more than n.
// Returns whether all are 1.
inline bool expand_bits(const uint8_t* bits, int64_t start, int64_t n, uint8_t* out, bool first) noexcept {
    bits += start >> 3;
    const int shift = static_cast<int>(start & 7);
    const int64_t last_byte = n ? (shift + n - 1) >> 3 : 0;  // no byte beyond this one may be read
    uint64_t all = ~uint64_t(0);
    for (int64_t i = 0; i < n; i += 8) {
        const int64_t k = i >> 3;
        unsigned window = bits[k];
        if (shift) window = (window | (k < last_byte ? bits[k + 1] << 8 : 0)) >> shift & 0xff;
        uint64_t bytes = spread(window);
        if (!first) {
            uint64_t before;
            std::memcpy(&before, out + i, 8);
            bytes &= before;
        }
        std::memcpy(out + i, &bytes, 8);
        all &= n - i >= 8 ? bytes : bytes | ~uint64_t(0) << (8 * (n - i));
    }
    return (all & 0x0101010101010101u) == 0x0101010101010101u;
}

// Compilers do not vectorise this loop by themselves; with vectors of two it runs at the speed of memory.
inline bool has_nan(const double* reals, int64_t n) noexcept {
    typedef double Pair __attribute__((vector_size(16)));
    typedef int64_t Mask2 __attribute__((vector_size(16)));
    Mask2 even = {0, 0}, odd = {0, 0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const Pair a = load<Pair>(reals + i, 0), b = load<Pair>(reals + i, 1);
        even |= a != a;
        odd |= b != b;
    }
    even |= odd;
    bool any = even[0] | even[1];
    for (; i < n; ++i) any |= reals[i] != reals[i];
    return any;
}

inline double half_to_double(uint16_t half) noexcept {
    uint32_t bits = static_cast<uint32_t>(half & 0x7fff) << 13;
    float magnitude;
    std::memcpy(&magnitude, &bits, 4);
    magnitude *= 0x1p112f;  // moves the exponent's bias and makes subnormals normal
    if (magnitude >= 65536.0f) {
        bits |= 0x7f800000u;  // infinity and NaN
        std::memcpy(&magnitude, &bits, 4);
    }
    return half & 0x8000 ? -magnitude : magnitude;
}

constexpr int MAX_EXACT_POWER = 22;  // the largest power of ten that a double holds exactly
constexpr double POWERS_OF_TEN[MAX_EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int64_t EXACT = int64_t(1) << 53;

struct DecimalValue {
    double real;    // the nearest
    bool is_whole;  // an integer within int64 that `real` does not hold
    int64_t whole;
};

// The general case, through decimal digits: strtod rounds correctly, and without a point no locale disturbs it.
inline DecimalValue slow_decimal(const uint64_t* magnitude, bool negative, int32_t scale) {
    uint64_t limbs[4] = {magnitude[0], magnitude[1], magnitude[2], magnitude[3]};
    char text[128];
    char* const end = text + 100;
    char* begin = end;
    int top = 3;
    while (top > 0 && !limbs[top]) --top;
    for (;;) {  // 78 digits at most, 19 of them at a time
        constexpr uint64_t CHUNK = 10000000000000000000u;
        unsigned __int128 rest = 0;
        for (int i = top; i >= 0; --i) {
            rest = rest << 64 | limbs[i];
            limbs[i] = static_cast<uint64_t>(rest / CHUNK);
            rest %= CHUNK;
        }
        while (top > 0 && !limbs[top]) --top;
        const bool last = top == 0 && !limbs[0];
        uint64_t chunk = static_cast<uint64_t>(rest);
        for (int digit = 0; last ? chunk != 0 : digit < 19; ++digit) {
            *--begin = static_cast<char>('0' + chunk % 10);
            chunk /= 10;
        }
        if (last) break;
    }
    if (begin == end) *--begin = '0';
    std::snprintf(end, 28, "e%lld", -static_cast<long long>(scale));
    const double real = std::strtod(begin, nullptr);
    DecimalValue value{negative ? -real : real, false, 0};
    if (real < static_cast<double>(EXACT) || real > 0x1p63) return value;
    const int64_t digits = end - begin;
    for (int64_t i = std::max<int64_t>(0, digits - scale); i < digits; ++i) {
        if (begin[i] != '0') return value;
    }
    uint64_t whole = 0;
    for (int64_t i = 0; i < digits - scale; ++i) {  // 2^63 has 19 digits, so this ends soon
        const uint64_t digit = i < digits ? static_cast<uint64_t>(begin[i] - '0') : 0;
        if (__builtin_mul_overflow(whole, uint64_t(10), &whole) || __builtin_add_overflow(whole, digit, &whole)) {
            return value;
        }
    }
    const uint64_t limit = uint64_t(1) << 63;
    if (whole > limit || (whole == limit && !negative)) return value;
    value.whole = static_cast<int64_t>(negative ? 0 - whole : whole);
    value.is_whole = whole == limit ? false : static_cast<uint64_t>(real) != whole;
    return value;
}

// Values of large scale (1.5 as decimal(38, 18)) mostly end in zeros; without these they fit the fast way below.
inline void strip_zeros(uint64_t* limbs, int32_t& scale) noexcept {
    static constexpr struct {
        uint64_t power;
        int32_t zeros;
    } STEPS[] = {{10000000000000000u, 16}, {100000000u, 8}, {10000u, 4}, {100u, 2}, {10u, 1}};
    unsigned __int128 value = static_cast<unsigned __int128>(limbs[1]) << 64 | limbs[0];
    for (const auto& step : STEPS) {
        if (value <= static_cast<uint64_t>(EXACT)) break;
        if (scale < step.zeros) continue;
        const unsigned __int128 quotient = value / step.power;
        if (quotient * step.power != value) continue;
        value = quotient;
        scale -= step.zeros;
    }
    limbs[0] = static_cast<uint64_t>(value);
    limbs[1] = static_cast<uint64_t>(value >> 64);
}

inline DecimalValue decimal(const unsigned char* bytes, int32_t width, int32_t scale) {
    uint64_t limbs[4] = {0, 0, 0, 0};
    const bool negative = bytes[width - 1] & 0x80;
    if (width < 8) {
        limbs[0] = static_cast<uint64_t>(static_cast<int64_t>(load<int32_t>(bytes, 0)));
    } else {
        std::memcpy(limbs, bytes, static_cast<size_t>(width));
    }
    if (negative) {  // two's complement to magnitude
        for (int i = std::max(width / 8, 1); i < 4; ++i) limbs[i] = ~uint64_t(0);
        uint64_t carry = 1;
        for (uint64_t& limb : limbs) {
            limb = ~limb + carry;
            carry = carry && limb == 0;
        }
    }
    if (scale > 0 && !(limbs[2] | limbs[3])) strip_zeros(limbs, scale);
    if (!(limbs[1] | limbs[2] | limbs[3]) && limbs[0] <= static_cast<uint64_t>(EXACT)) {
        // Both operands are exact, so the one rounding of the quotient or product is the right one.
        const double digits = static_cast<double>(limbs[0]);
        double real = -1;
        if (scale >= 0 && scale <= MAX_EXACT_POWER) real = digits / POWERS_OF_TEN[scale];
        if (scale < 0 && scale >= -MAX_EXACT_POWER) {
            real = digits * POWERS_OF_TEN[-scale];
            if (real >= static_cast<double>(EXACT)) real = -1;
        }
        if (real >= 0) return {negative ? -real : real, false, 0};
    }
    return slow_decimal(limbs, negative, scale);
}

// Up to n comma-separated integers; says how many, 0 if the text is anything else.
inline int parse_integers(const char* text, int64_t* out, int n) {
    int count = 0;
    while (count < n) {
        char* end;
        out[count] = std::strtoll(text, &end, 10);
        if (end == text) return 0;
        ++count;
        if (*end == 0) return count;
        if (*end != ',') return 0;
        text = end + 1;
    }
    return 0;
}

inline bool is_scalar(ColumnKind kind) noexcept {
    return kind != COLUMN_LIST && kind != COLUMN_MAP && kind != COLUMN_UNSUITABLE;
}

inline void check_schema(const ArrowSchema* schema, const std::string& name, int64_t n_children) {
    if (schema->n_children != n_children || (n_children && !schema->children)) {
        fail(name, "has " + std::to_string(schema->n_children) + " child types, its format '" + schema->format +
                       "' demands " + std::to_string(n_children));
    }
    for (int64_t i = 0; i < n_children; ++i) {
        if (!schema->children[i] || !schema->children[i]->format) fail(name, "has a child type without a format");
    }
}

ColumnType describe(const ArrowSchema* schema, const std::string& name, int depth = 0);

inline ColumnType describe_list(const ArrowSchema* schema, const std::string& name, const char* word, Storage storage,
                                int depth) {
    check_schema(schema, name, 1);
    const ColumnType element = describe(schema->children[0], name, depth + 1);
    ColumnType list;
    list.kind = is_scalar(element.kind) ? COLUMN_LIST : COLUMN_UNSUITABLE;
    list.storage = storage;
    list.type = std::string(word) + "<" + element.type + ">";
    return list;
}

inline ColumnType describe_map(const ArrowSchema* schema, const std::string& name, int depth) {
    check_schema(schema, name, 1);
    const ArrowSchema* entries = schema->children[0];
    check_schema(entries, name, 2);
    const ColumnType key = describe(entries->children[0], name, depth + 1);
    const ColumnType item = describe(entries->children[1], name, depth + 1);
    ColumnType map;
    const bool suits = key.kind == COLUMN_STRING && (is_scalar(item.kind) || item.kind == COLUMN_LIST);
    map.kind = suits ? COLUMN_MAP : COLUMN_UNSUITABLE;
    map.storage = Storage::list;
    map.type = "map<" + key.type + ", " + item.type + ">";
    return map;
}

// Codes or run ends before values; only one step of each, as producers make them.
inline ColumnType describe_indirect(const ColumnType& values, Storage storage, Indirection indirection) {
    ColumnType type = values;
    type.type = (indirection == Indirection::codes ? "dictionary<" : "run_end_encoded<") + values.type + ">";
    type.storage = storage;
    type.indirection = indirection;
    const bool nests = values.indirection == Indirection::runs || values.indirection == indirection;
    if (!is_scalar(values.kind) || nests) type.kind = COLUMN_UNSUITABLE;
    return type;
}

inline ColumnType describe_decimal(const ArrowSchema* schema, const std::string& name) {
    int64_t numbers[3] = {0, 0, 128};
    const int count = parse_integers(schema->format + 2, numbers, 3);
    const int64_t bits = numbers[2], largest = 1 << 20;
    const bool known = bits == 32 || bits == 64 || bits == 128 || bits == 256;
    if (count < 2 || !known || numbers[0] < 1 || numbers[0] > 76 || std::llabs(numbers[1]) > largest) {
        fail(name, "has the malformed decimal format '" + std::string(schema->format) + "'");
    }
    ColumnType type;
    type.storage = Storage::decimal;
    type.width = static_cast<int32_t>(bits / 8);
    type.scale = static_cast<int32_t>(numbers[1]);
    type.kind = type.scale <= 0 && numbers[0] - type.scale <= 18 ? COLUMN_INT : COLUMN_REAL;
    type.type =
        "decimal" + std::to_string(bits) + "(" + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) + ")";
    return type;
}

inline ColumnType describe(const ArrowSchema* schema, const std::string& name, int depth) {
    struct Plain {
        const char* format;
        ColumnKind kind;
        Storage storage;
        const char* type;
        int64_t multiply, divide;
    };
    static constexpr int64_t DAY = 86400000000;
    static constexpr Plain PLAIN[] = {
        {"n", COLUMN_NULL, Storage::none, "null", 1, 1},
        {"b", COLUMN_BOOL, Storage::bits, "bool", 1, 1},
        {"c", COLUMN_INT, Storage::int8, "int8", 1, 1},
        {"C", COLUMN_INT, Storage::uint8, "uint8", 1, 1},
        {"s", COLUMN_INT, Storage::int16, "int16", 1, 1},
        {"S", COLUMN_INT, Storage::uint16, "uint16", 1, 1},
        {"i", COLUMN_INT, Storage::int32, "int32", 1, 1},
        {"I", COLUMN_INT, Storage::uint32, "uint32", 1, 1},
        {"l", COLUMN_INT, Storage::int64, "int64", 1, 1},
        {"L", COLUMN_UINT64, Storage::uint64, "uint64", 1, 1},
        {"e", COLUMN_REAL, Storage::float16, "float16", 1, 1},
        {"f", COLUMN_REAL, Storage::float32, "float32", 1, 1},
        {"g", COLUMN_REAL, Storage::float64, "float64", 1, 1},
        {"u", COLUMN_STRING, Storage::utf8, "string", 1, 1},
        {"U", COLUMN_STRING, Storage::large_utf8, "large_string", 1, 1},
        {"vu", COLUMN_STRING, Storage::utf8_view, "string_view", 1, 1},
        {"tdD", COLUMN_TIME, Storage::int32, "date32", DAY, 1},
        {"tdm", COLUMN_TIME, Storage::int64, "date64", 1000, 1},
        {"z", COLUMN_UNSUITABLE, Storage::none, "binary", 1, 1},
        {"Z", COLUMN_UNSUITABLE, Storage::none, "large_binary", 1, 1},
        {"vz", COLUMN_UNSUITABLE, Storage::none, "binary_view", 1, 1},
        {"tts", COLUMN_UNSUITABLE, Storage::none, "time32[s]", 1, 1},
        {"ttm", COLUMN_UNSUITABLE, Storage::none, "time32[ms]", 1, 1},
        {"ttu", COLUMN_UNSUITABLE, Storage::none, "time64[us]", 1, 1},
        {"ttn", COLUMN_UNSUITABLE, Storage::none, "time64[ns]", 1, 1},
        {"tDs", COLUMN_UNSUITABLE, Storage::none, "duration[s]", 1, 1},
        {"tDm", COLUMN_UNSUITABLE, Storage::none, "duration[ms]", 1, 1},
        {"tDu", COLUMN_UNSUITABLE, Storage::none, "duration[us]", 1, 1},
        {"tDn", COLUMN_UNSUITABLE, Storage::none, "duration[ns]", 1, 1},
        {"tiM", COLUMN_UNSUITABLE, Storage::none, "interval[month]", 1, 1},
        {"tiD", COLUMN_UNSUITABLE, Storage::none, "interval[day, ms]", 1, 1},
        {"tin", COLUMN_UNSUITABLE, Storage::none, "interval[month, day, ns]", 1, 1},
        {"+s", COLUMN_UNSUITABLE, Storage::structure, "struct", 1, 1},
    };
    if (depth > MAX_DEPTH) fail(name, "is nested deeper than " + std::to_string(MAX_DEPTH) + " levels");
    if (!schema->format) fail(name, "has a type without a format");
    const std::string format = schema->format;
    ColumnType type;
    bool known = false;
    for (const Plain& plain : PLAIN) {
        if (format == plain.format) {
            type.kind = plain.kind;
            type.storage = plain.storage;
            type.type = plain.type;
            type.multiply = plain.multiply;
            type.divide = plain.divide;
            known = true;
        }
    }
    if (schema->dictionary) {
        if (type.storage < Storage::int8 || type.storage > Storage::uint64 || type.kind == COLUMN_TIME) {
            fail(name, "has dictionary codes of the format '" + format + "', which is no integer");
        }
        return describe_indirect(describe(schema->dictionary, name, depth + 1), type.storage, Indirection::codes);
    }
    if (known) return type;
    if (format.compare(0, 2, "d:") == 0) return describe_decimal(schema, name);
    if (format.compare(0, 2, "ts") == 0 && format.size() >= 4 && format[3] == ':') {
        static constexpr struct {
            char letter;
            const char* unit;
            int64_t multiply, divide;
        } UNITS[] = {{'s', "s", 1000000, 1}, {'m', "ms", 1000, 1}, {'u', "us", 1, 1}, {'n', "ns", 1, 1000}};
        for (const auto& unit : UNITS) {
            if (format[2] != unit.letter) continue;
            type.kind = COLUMN_TIME;
            type.storage = Storage::int64;
            type.type =
                std::string("timestamp[") + unit.unit + (format.size() > 4 ? ", " + format.substr(4) : "") + "]";
            type.multiply = unit.multiply;
            type.divide = unit.divide;
            return type;
        }
    }
    if (format == "+l") return describe_list(schema, name, "list", Storage::list, depth);
    if (format == "+L") return describe_list(schema, name, "large_list", Storage::large_list, depth);
    if (format == "+vl") return describe_list(schema, name, "list_view", Storage::list_view, depth);
    if (format == "+vL") return describe_list(schema, name, "large_list_view", Storage::large_list_view, depth);
    if (format.compare(0, 3, "+w:") == 0) {
        type = describe_list(schema, name, "fixed_size_list", Storage::fixed_list, depth);
        int64_t width = -1;
        if (!parse_integers(schema->format + 3, &width, 1) || width < 0 || width > INT32_MAX) {
            fail(name, "has the malformed format '" + format + "'");
        }
        type.width = static_cast<int32_t>(width);
        return type;
    }
    if (format == "+m") return describe_map(schema, name, depth);
    if (format == "+r") {
        check_schema(schema, name, 2);
        const ColumnType ends = describe(schema->children[0], name, depth + 1);
        const bool suits = ends.storage == Storage::int16 || ends.storage == Storage::int32 ||
                           (ends.storage == Storage::int64 && ends.kind == COLUMN_INT);
        if (!suits || ends.indirection != Indirection::none) fail(name, "has run ends of type " + ends.type);
        return describe_indirect(describe(schema->children[1], name, depth + 1), ends.storage, Indirection::runs);
    }
    if (format.compare(0, 2, "w:") == 0) {
        type.type = "fixed_size_binary[" + format.substr(2) + "]";
    } else if (format.compare(0, 4, "+ud:") == 0) {
        type.type = "dense_union";
    } else if (format.compare(0, 4, "+us:") == 0) {
        type.type = "sparse_union";
    } else {
        type.type = "'" + format + "'";
    }
    return type;
}

inline void check_array(const ArrowArray* array, const std::string& name, int64_t n_children) {
    int64_t end;
    if (!array) fail(name, "has no array");
    if (array->length < 0 || array->offset < 0 || __builtin_add_overflow(array->length, array->offset, &end)) {
        fail(name,
             "has the length " + std::to_string(array->length) + " and the offset " + std::to_string(array->offset));
    }
    if (array->n_children != n_children || (n_children && !array->children)) {
        fail(name,
             "has " + std::to_string(array->n_children) + " child arrays instead of " + std::to_string(n_children));
    }
}

inline void check_buffers(const ArrowArray* array, const std::string& name, int64_t n_buffers, bool or_more = false) {
    const bool suits = or_more ? array->n_buffers >= n_buffers : array->n_buffers == n_buffers;
    if (!suits || !array->buffers) {
        fail(name, "has " + std::to_string(array->buffers ? array->n_buffers : 0) + " buffers instead of " +
                       std::to_string(n_buffers));
    }
}

inline void add_mask(const ArrowArray* array, int64_t offset, std::vector<Mask>& masks) {
    if (array->null_count != 0 && array->buffers[0]) {
        masks.push_back({static_cast<const uint8_t*>(array->buffers[0]), offset});
    }
}

// Of the exception in flight; empty if memory ran out.
inline std::string current_problem() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return "";
    } catch (const std::exception& problem) {
        return problem.what();
    }
}

}  // namespace arrow

class Batch {
  public:
    std::vector<Column> columns;  // [0, fields) are the batch's own, then their parts
    size_t fields = 0;
    int64_t length = 0;  // rows

    // Looks at a struct array of that schema; without an array, at an empty one. Throws std::invalid_argument.
    void read(const ArrowSchema* schema, const ArrowArray* array) {
        columns.clear();
        fields = 0;
        length = 0;
        if (!schema->format) throw std::invalid_argument("the Arrow schema has no format");
        if (std::strcmp(schema->format, "+s") != 0 || schema->dictionary) {
            const ColumnType type = arrow::describe(schema, schema->name ? schema->name : "");
            throw std::invalid_argument("events must be a table or a struct array, not an Arrow array of type " +
                                        type.type);
        }
        int64_t rows = 0;
        std::vector<Mask> masks;
        const std::string name = schema->name ? schema->name : "";
        if (array) {
            arrow::check_array(array, name, schema->n_children);
            arrow::check_buffers(array, name, 1);
            arrow::add_mask(array, array->offset, masks);
            rows = array->length;
        }
        add_fields(schema, array, nullptr, array ? array->offset : 0, rows, masks, 0);
        fields = columns.size();
        for (size_t i = 0; i < columns.size(); ++i) add_parts(i);
        length = rows;
    }

    // Rows [start, start + n) of a column as values; those of dictionaries and runs are looked up.
    void decode(int32_t column, int64_t start, int64_t n, Decoded& out) const {
        check_rows(column, start, n);
        out.clear();
        if (n) decode_rows(column_at(column), arrow::Range{start}, n, out);
    }

    // The same of a column with a dictionary, as rows of the dictionary in out.codes. That pays where the dictionary,
    // itself to be decoded whole, is shorter than the batch. Its rows may be absent, too.
    void decode_codes(int32_t column, int64_t start, int64_t n, Decoded& out) const {
        check_rows(column, start, n);
        out.clear();
        if (n) out.codes = read_codes(column_at(column), arrow::Range{start}, n, out);
    }

    // All elements, keys or items (`part` is the column's child or items) of the lists or maps decoded in `rows`.
    void decode_parts(int32_t part, const Decoded& rows, Decoded& out) const {
        out.clear();
        if (!rows.part_count) return;
        if (rows.part_positions) {
            decode_rows(column_at(part), arrow::Scattered{rows.part_positions}, rows.part_count, out);
        } else {
            decode_rows(column_at(part), arrow::Range{rows.part_start}, rows.part_count, out);
        }
    }

  private:
    const Column& column_at(int32_t column) const {
        BOOLSIEVE_CHECK(column >= 0 && static_cast<size_t>(column) < columns.size());
        return columns[static_cast<size_t>(column)];
    }
    void check_rows([[maybe_unused]] int32_t column, [[maybe_unused]] int64_t start, [[maybe_unused]] int64_t n) const {
        BOOLSIEVE_CHECK(start >= 0 && n >= 0 && start + n <= column_at(column).length);
    }

    // ---- reading ---------------------------------------------------------------------------------------------------

    void add_fields(const ArrowSchema* schema, const ArrowArray* array, const std::string* prefix, int64_t first,
                    int64_t rows, const std::vector<Mask>& masks, int depth) {
        if (depth > arrow::MAX_DEPTH) {
            arrow::fail(*prefix, "is nested deeper than " + std::to_string(arrow::MAX_DEPTH) + " levels");
        }
        arrow::check_schema(schema, prefix ? *prefix : "", schema->n_children);
        for (int64_t i = 0; i < schema->n_children; ++i) {
            const ArrowSchema* field = schema->children[i];
            const ArrowArray* values = array ? array->children[i] : nullptr;
            std::string name = field->name ? field->name : "";
            if (prefix) name = *prefix + "." + name;
            ColumnType type = arrow::describe(field, name);
            if (type.storage != Storage::structure) {
                add_column(field, values, std::move(type), std::move(name), first, rows, masks);
                continue;
            }
            std::vector<Mask> inner = masks;
            int64_t inner_first = 0;
            if (array) {
                arrow::check_array(values, name, field->n_children);
                arrow::check_buffers(values, name, 1);
                check_length(values, name, first, rows);
                inner_first = values->offset + first;
                arrow::add_mask(values, inner_first, inner);
            }
            add_fields(field, values, &name, inner_first, rows, inner, depth + 1);
        }
    }

    static void check_length(const ArrowArray* array, const std::string& name, int64_t first, int64_t rows) {
        if (array->length - rows < first) {
            arrow::fail(name, "has " + std::to_string(array->length) + " values for rows " + std::to_string(first) +
                                  " to " + std::to_string(first + rows));
        }
    }

    // Rows [first, first + rows) of an array, under the masks of the structs around it.
    int32_t add_column(const ArrowSchema* schema, const ArrowArray* array, ColumnType type, std::string name,
                       int64_t first, int64_t rows, const std::vector<Mask>& masks) {
        if (columns.size() >= INT32_MAX) throw std::invalid_argument("more than 2^31 columns");
        Column column;
        static_cast<ColumnType&>(column) = std::move(type);
        column.name = std::move(name);
        column.length = rows;
        column.schema = schema;
        column.array = array;
        column.masks = masks;
        if (array && column.kind != COLUMN_UNSUITABLE) {
            arrow::check_array(array, column.name, schema->n_children);
            check_length(array, column.name, first, rows);
            column.offset = array->offset + first;
            look_at_buffers(column, array);
        }
        columns.push_back(std::move(column));
        return static_cast<int32_t>(columns.size() - 1);
    }

    static void look_at_buffers(Column& column, const ArrowArray* array) {
        if (column.indirection == Indirection::runs) {
            const ArrowArray* ends = array->children[0];
            arrow::check_array(ends, column.name, 0);
            arrow::check_buffers(ends, column.name, 2);
            if (ends->length && !ends->buffers[1]) arrow::fail(column.name, "has no buffer of run ends");
            column.values = ends->buffers[1];
            return;
        }
        if (column.kind == COLUMN_NULL && column.indirection == Indirection::none) return;
        int64_t n_buffers = 2;
        bool or_more = false;
        switch (column.storage) {
            case Storage::utf8:
            case Storage::large_utf8:
            case Storage::list_view:
            case Storage::large_list_view:
                n_buffers = 3;
                break;
            case Storage::fixed_list:
                n_buffers = 1;
                break;
            case Storage::utf8_view:
                n_buffers = 3;
                or_more = true;
                break;
            default:
                break;
        }
        arrow::check_buffers(array, column.name, n_buffers, or_more);
        arrow::add_mask(array, column.offset, column.masks);
        if (n_buffers >= 2) column.values = array->buffers[1];
        if (column.storage == Storage::utf8_view) {
            column.n_variadic = array->n_buffers - 3;
            column.variadic = array->buffers + 2;
            column.variadic_lengths = array->buffers[array->n_buffers - 1];
            if (column.n_variadic && !column.variadic_lengths) arrow::fail(column.name, "has no buffer of lengths");
        } else if (n_buffers == 3) {
            column.data = array->buffers[2];
        }
        const bool needs_sizes = column.storage == Storage::list_view || column.storage == Storage::large_list_view;
        if (column.length && ((n_buffers >= 2 && !column.values) || (needs_sizes && !column.data))) {
            arrow::fail(column.name, "has values but no buffer of them");
        }
        if (column.storage == Storage::utf8 || column.storage == Storage::large_utf8) {
            if (!column.data) column.data = "";  // allowed where all strings are empty
        }
    }

    int32_t add_part(const ArrowSchema* schema, const ArrowArray* array, const std::string& name, int64_t first,
                     int64_t rows, const std::vector<Mask>& masks = {}) {
        return add_column(schema, array, arrow::describe(schema, name), name, first, rows, masks);
    }

    void add_parts(size_t which) {
        const ArrowSchema* schema = columns[which].schema;
        const ArrowArray* array = columns[which].array;
        const ColumnKind kind = columns[which].kind;
        const Indirection indirection = columns[which].indirection;
        const std::string name = columns[which].name;
        if (kind == COLUMN_UNSUITABLE) return;
        if (indirection != Indirection::none) {
            const bool runs = indirection == Indirection::runs;
            const ArrowArray* values = nullptr;
            int64_t rows = 0;
            if (array) {
                values = runs ? array->children[1] : array->dictionary;
                if (!values) arrow::fail(name, "has no dictionary");
                rows = runs ? array->children[0]->length : values->length;
                if (rows > INT32_MAX) arrow::fail(name, "has more than 2^31 distinct values");
            }
            const ArrowSchema* values_schema = runs ? schema->children[1] : schema->dictionary;
            const int32_t part = add_part(values_schema, values, name, 0, rows);
            columns[which].dictionary = part;
        } else if (kind == COLUMN_LIST) {
            const ArrowArray* elements = array ? array->children[0] : nullptr;
            if (array && !elements) arrow::fail(name, "has no array of elements");
            const int32_t part = add_part(schema->children[0], elements, name, 0, elements ? elements->length : 0);
            columns[which].child = part;
        } else if (kind == COLUMN_MAP) {
            const ArrowSchema* entries_schema = schema->children[0];
            const ArrowArray* entries = array ? array->children[0] : nullptr;
            int64_t first = 0, rows = 0;
            std::vector<Mask> masks;
            if (array) {
                arrow::check_array(entries, name, 2);
                arrow::check_buffers(entries, name, 1);
                first = entries->offset;
                rows = entries->length;
                arrow::add_mask(entries, first, masks);
            }
            const ArrowArray* keys = entries ? entries->children[0] : nullptr;
            const ArrowArray* items = entries ? entries->children[1] : nullptr;
            const int32_t key_part = add_part(entries_schema->children[0], keys, name, first, rows, masks);
            const int32_t item_part = add_part(entries_schema->children[1], items, name, first, rows, masks);
            columns[which].child = key_part;
            columns[which].items = item_part;
        }
    }

    // ---- decoding --------------------------------------------------------------------------------------------------
    // Each function is written once for a range of rows and for scattered ones; compilers specialise both.

    template <class Rows>
    void decode_rows(const Column& column, Rows rows, int64_t n, Decoded& out) const {
        if (column.kind == COLUMN_UNSUITABLE)
            arrow::fail(column.name, "has type " + column.type + ", which cannot be matched");
        if (column.dictionary >= 0) {
            const int32_t* codes = read_codes(column, rows, n, out);
            // The positions of `rows` may lie in this same memory: the codes are all read by now.
            int64_t* positions = out.position_room.room(static_cast<size_t>(n));
            for (int64_t i = 0; i < n; ++i) positions[i] = codes[i];
            decode_rows(column_at(column.dictionary), arrow::Scattered{positions}, n, out);
            return;
        }
        if (column.kind == COLUMN_NULL || column.length == 0) {
            nothing(column, n, out);
            return;
        }
        out.valid = read_masks(column, rows, n, out);
        switch (column.kind) {
            case COLUMN_BOOL:
                out.bools = read_bools(column, rows, n, out);
                break;
            case COLUMN_INT:
                out.integers = read_integers(column, rows, n, out);
                break;
            case COLUMN_UINT64:
                out.naturals = read_numbers<uint64_t, uint64_t>(column, rows, n, out.natural_room);
                break;
            case COLUMN_REAL:
                read_reals(column, rows, n, out);
                break;
            case COLUMN_STRING:
                read_text(column, rows, n, out);
                break;
            case COLUMN_TIME:
                read_times(column, rows, n, out);
                break;
            case COLUMN_LIST:
            case COLUMN_MAP:
                read_lists(column, rows, n, out);
                break;
            default:
                break;
        }
    }

    // n absent rows, as nulls and lookups in an empty dictionary give them.
    static void nothing(const Column& column, int64_t n, Decoded& out) {
        const size_t size = static_cast<size_t>(n);
        uint8_t* valid = out.valid_room.room(size + 8);
        std::memset(valid, 0, size);
        out.valid = valid;
        switch (column.kind) {
            case COLUMN_BOOL:
                out.bools = valid;
                break;
            case COLUMN_INT:
            case COLUMN_TIME:
                out.integers = zeros(out.integer_room, size);
                break;
            case COLUMN_UINT64:
                out.naturals = zeros(out.natural_room, size);
                break;
            case COLUMN_REAL:
                out.reals = zeros(out.real_room, size);
                break;
            case COLUMN_STRING:
                std::fill_n(out.text_room.room(size), size, "");
                out.text = out.text_room.room(size);
                out.text_length = zeros(out.length_room, size);
                break;
            case COLUMN_LIST:
            case COLUMN_MAP:
                out.part_offsets = zeros(out.offset_room, size + 1);
                break;
            default:
                break;
        }
    }
    template <class T>
    static T* zeros(Room<T>& room, size_t n) {
        T* values = room.room(n);
        std::fill_n(values, n, T());
        return values;
    }

    // The bytes of out.valid, or nullptr if all rows are present.
    static const uint8_t* read_masks(const Column& column, arrow::Range rows, int64_t n, Decoded& out) {
        if (column.masks.empty()) return nullptr;
        uint8_t* valid = out.valid_room.room(static_cast<size_t>(n) + 8);
        bool all = true, first = true;
        for (const Mask& mask : column.masks) {
            all = arrow::expand_bits(mask.bits, mask.offset + rows.start, n, valid, first);
            first = false;
        }
        return all ? nullptr : valid;
    }
    static const uint8_t* read_masks(const Column& column, arrow::Scattered rows, int64_t n, Decoded& out) {
        uint8_t* valid = out.valid_room.room(static_cast<size_t>(n) + 8);
        unsigned all = 1;
        for (int64_t i = 0; i < n; ++i) {
            valid[i] = rows.present(i);
            all &= valid[i];
        }
        for (const Mask& mask : column.masks) {
            for (int64_t i = 0; i < n; ++i) {
                valid[i] &= arrow::bit(mask.bits, mask.offset + rows(i));
                all &= valid[i];
            }
        }
        return all ? nullptr : valid;
    }

    static const uint8_t* read_bools(const Column& column, arrow::Range rows, int64_t n, Decoded& out) {
        uint8_t* bools = out.byte_room.room(static_cast<size_t>(n) + 8);
        arrow::expand_bits(static_cast<const uint8_t*>(column.values), column.offset + rows.start, n, bools, true);
        return bools;
    }
    static const uint8_t* read_bools(const Column& column, arrow::Scattered rows, int64_t n, Decoded& out) {
        uint8_t* bools = out.byte_room.room(static_cast<size_t>(n) + 8);
        const uint8_t* bits = static_cast<const uint8_t*>(column.values);
        for (int64_t i = 0; i < n; ++i) bools[i] = arrow::bit(bits, column.offset + rows(i));
        return bools;
    }

    // Stored values of type From as To: where both are the same and aligned, without a copy.
    template <class From, class To, class Rows>
    static const To* read_numbers(const Column& column, Rows rows, int64_t n, Room<To>& room) {
        if constexpr (std::is_same_v<From, To> && std::is_same_v<Rows, arrow::Range>) {
            if (arrow::is_aligned<To>(column.values)) {
                return static_cast<const To*>(column.values) + column.offset + rows.start;
            }
        }
        To* numbers = room.room(static_cast<size_t>(n));
        const void* values = column.values;
        const int64_t offset = column.offset;
        for (int64_t i = 0; i < n; ++i) numbers[i] = static_cast<To>(arrow::load<From>(values, offset + rows(i)));
        return numbers;
    }

    template <class Rows>
    static const int64_t* read_integers(const Column& column, Rows rows, int64_t n, Decoded& out) {
        switch (column.storage) {
            case Storage::int8:
                return read_numbers<int8_t, int64_t>(column, rows, n, out.integer_room);
            case Storage::uint8:
                return read_numbers<uint8_t, int64_t>(column, rows, n, out.integer_room);
            case Storage::int16:
                return read_numbers<int16_t, int64_t>(column, rows, n, out.integer_room);
            case Storage::uint16:
                return read_numbers<uint16_t, int64_t>(column, rows, n, out.integer_room);
            case Storage::int32:
                return read_numbers<int32_t, int64_t>(column, rows, n, out.integer_room);
            case Storage::uint32:
                return read_numbers<uint32_t, int64_t>(column, rows, n, out.integer_room);
            case Storage::decimal:
                return read_whole_decimals(column, rows, n, out);
            default:
                return read_numbers<int64_t, int64_t>(column, rows, n, out.integer_room);
        }
    }

    template <class Rows>
    static const int64_t* read_whole_decimals(const Column& column, Rows rows, int64_t n, Decoded& out) {
        int64_t* integers = out.integer_room.room(static_cast<size_t>(n));
        const char* bytes = static_cast<const char*>(column.values);
        uint64_t factor = 1;
        for (int32_t i = column.scale; i < 0; ++i) factor *= 10;
        for (int64_t i = 0; i < n; ++i) {
            const char* at = bytes + (column.offset + rows(i)) * column.width;
            const int64_t digits = column.width == 4 ? arrow::load<int32_t>(at, 0) : arrow::load<int64_t>(at, 0);
            integers[i] = static_cast<int64_t>(static_cast<uint64_t>(digits) * factor);
        }
        return integers;
    }

    template <class Rows>
    static void read_reals(const Column& column, Rows rows, int64_t n, Decoded& out) {
        switch (column.storage) {
            case Storage::decimal:
                read_decimals(column, rows, n, out);
                return;
            case Storage::float32:
                out.reals = read_numbers<float, double>(column, rows, n, out.real_room);
                break;
            case Storage::float16: {
                double* reals = out.real_room.room(static_cast<size_t>(n));
                for (int64_t i = 0; i < n; ++i) {
                    reals[i] = arrow::half_to_double(arrow::load<uint16_t>(column.values, column.offset + rows(i)));
                }
                out.reals = reals;
                break;
            }
            default:
                out.reals = read_numbers<double, double>(column, rows, n, out.real_room);
                break;
        }
        const double* reals = out.reals;
        if (!arrow::has_nan(reals, n)) return;
        uint8_t* valid = out.valid_room.room(static_cast<size_t>(n) + 8);
        if (!out.valid) std::memset(valid, 1, static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) valid[i] &= reals[i] == reals[i];
        out.valid = valid;
    }

    template <class Rows>
    static void read_decimals(const Column& column, Rows rows, int64_t n, Decoded& out) {
        double* reals = out.real_room.room(static_cast<size_t>(n));
        int64_t* integers = nullptr;
        uint8_t* whole = nullptr;
        const unsigned char* bytes = static_cast<const unsigned char*>(column.values);
        for (int64_t i = 0; i < n; ++i) {
            const unsigned char* at = bytes + (column.offset + rows(i)) * column.width;
            const arrow::DecimalValue value = arrow::decimal(at, column.width, column.scale);
            reals[i] = value.real;
            if (!value.is_whole) continue;
            if (!whole) {
                integers = zeros(out.integer_room, static_cast<size_t>(n));
                whole = zeros(out.byte_room, static_cast<size_t>(n) + 8);
            }
            whole[i] = 1;
            integers[i] = value.whole;
        }
        out.reals = reals;
        out.integers = integers;
        out.whole = whole;
    }

    template <class Rows>
    static void read_times(const Column& column, Rows rows, int64_t n, Decoded& out) {
        if (column.storage == Storage::int32) {
            scale_times<int32_t>(column, rows, n, out);
        } else if (column.multiply == 1 && column.divide == 1) {
            out.integers = read_numbers<int64_t, int64_t>(column, rows, n, out.integer_room);
        } else {
            scale_times<int64_t>(column, rows, n, out);
        }
    }

    template <class From, class Rows>
    static void scale_times(const Column& column, Rows rows, int64_t n, Decoded& out) {
        int64_t* times = out.integer_room.room(static_cast<size_t>(n));
        uint8_t* inside = out.byte_room.room(static_cast<size_t>(n) + 8);
        const void* values = column.values;
        const int64_t offset = column.offset;
        uint8_t any = 0;
        if (column.divide == 1000) {  // nanoseconds, rounded down; a constant divisor is no division
            for (int64_t i = 0; i < n; ++i) {
                const int64_t value = arrow::load<From>(values, offset + rows(i));
                const int64_t quotient = value / 1000, rest = value - quotient * 1000;
                times[i] = quotient - (rest < 0);
                inside[i] = rest != 0;
                any |= inside[i];
            }
        } else {
            const int64_t factor = column.multiply, limit = INT64_MAX / factor;
            for (int64_t i = 0; i < n; ++i) {
                const int64_t value = arrow::load<From>(values, offset + rows(i));
                const bool high = value > limit, low = value < -limit;
                const uint64_t product = static_cast<uint64_t>(value) * static_cast<uint64_t>(factor);
                times[i] = high ? INT64_MAX : low ? INT64_MIN : static_cast<int64_t>(product);
                inside[i] = high | low;
                any |= inside[i];
            }
        }
        out.integers = times;
        out.inside = any ? inside : nullptr;
    }

    template <class Rows>
    static void read_text(const Column& column, Rows rows, int64_t n, Decoded& out) {
        const char** text = out.text_room.room(static_cast<size_t>(n));
        uint32_t* length = out.length_room.room(static_cast<size_t>(n));
        out.text = text;
        out.text_length = length;
        switch (column.storage) {
            case Storage::utf8:
                return read_strings<int32_t>(column, rows, n, text, length);
            case Storage::large_utf8:
                return read_strings<int64_t>(column, rows, n, text, length);
            default:
                return read_views(column, rows, n, out.valid, text, length);
        }
    }

    template <class Offset, class Rows>
    static void read_strings(const Column& column, Rows rows, int64_t n, const char** text, uint32_t* length) {
        const char* data = static_cast<const char*>(column.data);
        const void* offsets = column.values;
        const int64_t offset = column.offset;
        int64_t bad = 0;  // negative or, for large strings, beyond uint32
        for (int64_t i = 0; i < n; ++i) {
            const int64_t begin = arrow::load<Offset>(offsets, offset + rows(i));
            const int64_t end = arrow::load<Offset>(offsets, offset + rows(i) + 1);
            const int64_t size = static_cast<int64_t>(static_cast<uint64_t>(end) - static_cast<uint64_t>(begin));
            text[i] = data + begin;
            length[i] = static_cast<uint32_t>(size);
            bad |= size | begin >> 63;
        }
        if (bad < 0 || bad > static_cast<int64_t>(UINT32_MAX)) {
            arrow::fail(column.name, "has malformed string offsets, or a string of over 4 GiB");
        }
    }

    // A view is 16 bytes: the length, then the string itself if it has at most 12 bytes, else its first 4 bytes, the
    // number of a buffer and the place in it.
    template <class Rows>
    static void read_views(const Column& column, Rows rows, int64_t n, const uint8_t* valid, const char** text,
                           uint32_t* length) {
        const char* views = static_cast<const char*>(column.values);
        for (int64_t i = 0; i < n; ++i) {
            const char* view = views + 16 * (column.offset + rows(i));
            const uint32_t size = arrow::load<uint32_t>(view, 0);
            length[i] = size;
            text[i] = view + 4;
            if (size <= 12) continue;
            const uint32_t buffer = arrow::load<uint32_t>(view, 2);
            const int32_t begin = arrow::load<int32_t>(view, 3);
            const bool good =
                buffer < static_cast<uint64_t>(column.n_variadic) && begin >= 0 &&
                begin + static_cast<int64_t>(size) <= arrow::load<int64_t>(column.variadic_lengths, buffer);
            if (good) {
                text[i] = static_cast<const char*>(column.variadic[buffer]) + begin;
            } else if (valid && !valid[i]) {  // what stands there has no meaning
                length[i] = 0;
            } else {
                arrow::fail(column.name, "has a malformed string view");
            }
        }
    }

    template <class Rows>
    void read_lists(const Column& column, Rows rows, int64_t n, Decoded& out) const {
        switch (column.storage) {
            case Storage::list:
                return read_ranges(column, rows, n, out, [&](int64_t at) {
                    const int64_t begin = arrow::load<int32_t>(column.values, at);
                    return std::make_pair(begin, arrow::load<int32_t>(column.values, at + 1) - begin);
                });
            case Storage::large_list:
                return read_ranges(column, rows, n, out, [&](int64_t at) {
                    const int64_t begin = arrow::load<int64_t>(column.values, at);
                    const uint64_t end = static_cast<uint64_t>(arrow::load<int64_t>(column.values, at + 1));
                    return std::make_pair(begin, static_cast<int64_t>(end - static_cast<uint64_t>(begin)));
                });
            case Storage::list_view:
                return read_ranges(column, rows, n, out, [&](int64_t at) {
                    return std::make_pair(static_cast<int64_t>(arrow::load<int32_t>(column.values, at)),
                                          static_cast<int64_t>(arrow::load<int32_t>(column.data, at)));
                });
            case Storage::large_list_view:
                return read_ranges(column, rows, n, out, [&](int64_t at) {
                    return std::make_pair(arrow::load<int64_t>(column.values, at),
                                          arrow::load<int64_t>(column.data, at));
                });
            default:
                return read_ranges(column, rows, n, out, [&](int64_t at) {
                    const int64_t width = column.width;
                    return std::make_pair(at * width, width);
                });
        }
    }

    // `range_of` gives begin and size of the list at a place. Present lists mostly follow one another; where they do
    // not (list views, values below nulls), the place of each element is written down.
    template <class Rows, class RangeOf>
    void read_ranges(const Column& column, Rows rows, int64_t n, Decoded& out, RangeOf range_of) const {
        const int64_t limit = column_at(column.child).length;
        int64_t* offsets = out.offset_room.room(static_cast<size_t>(n) + 1);
        const uint8_t* valid = out.valid;
        int64_t total = 0, start = 0;
        bool scattered = false;
        offsets[0] = 0;
        for (int64_t i = 0; i < n; ++i) {
            if (!valid || valid[i]) {
                const auto [begin, size] = range_of(column.offset + rows(i));
                if (size < 0 || begin < 0 || begin > limit - size)
                    arrow::fail(column.name, "has malformed list offsets");
                if (total == 0) start = begin;
                scattered |= size != 0 && begin != start + total;
                total += size;
            }
            offsets[i + 1] = total;
        }
        out.part_offsets = offsets;
        out.part_count = total;
        out.part_start = start;
        if (!scattered) return;
        int64_t* positions = out.position_room.room(static_cast<size_t>(total));
        for (int64_t i = 0; i < n; ++i) {
            const int64_t begin = range_of(column.offset + rows(i)).first;
            for (int64_t j = offsets[i]; j < offsets[i + 1]; ++j) positions[j] = begin + j - offsets[i];
        }
        out.part_positions = positions;
    }

    template <class Rows>
    const int32_t* read_codes(const Column& column, Rows rows, int64_t n, Decoded& out) const {
        BOOLSIEVE_CHECK(column.dictionary >= 0);
        if (column.length == 0) {  // scattered rows, all absent
            int32_t* codes = out.code_room.room(static_cast<size_t>(n));
            std::fill_n(codes, n, -1);
            return codes;
        }
        if (column.indirection == Indirection::runs) {
            switch (column.storage) {
                case Storage::int16:
                    return read_runs<int16_t>(column, rows, n, out);
                case Storage::int32:
                    return read_runs<int32_t>(column, rows, n, out);
                default:
                    return read_runs<int64_t>(column, rows, n, out);
            }
        }
        switch (column.storage) {
            case Storage::int8:
                return read_indices<int8_t>(column, rows, n, out);
            case Storage::uint8:
                return read_indices<uint8_t>(column, rows, n, out);
            case Storage::int16:
                return read_indices<int16_t>(column, rows, n, out);
            case Storage::uint16:
                return read_indices<uint16_t>(column, rows, n, out);
            case Storage::int32:
                return read_indices<int32_t>(column, rows, n, out);
            case Storage::uint32:
                return read_indices<uint32_t>(column, rows, n, out);
            case Storage::int64:
                return read_indices<int64_t>(column, rows, n, out);
            default:
                return read_indices<uint64_t>(column, rows, n, out);
        }
    }

    template <class Index, class Rows>
    const int32_t* read_indices(const Column& column, Rows rows, int64_t n, Decoded& out) const {
        using Signed = std::conditional_t<sizeof(Index) <= 4, int32_t, int64_t>;  // what is too large is negative there
        const Signed limit = static_cast<Signed>(column_at(column.dictionary).length);
        int32_t* codes = out.code_room.room(static_cast<size_t>(n));
        const uint8_t* valid = read_masks(column, rows, n, out);
        const void* values = column.values;
        const int64_t offset = column.offset;
        Signed bad = 0;
        for (int64_t i = 0; i < n; ++i) {
            const Signed code = static_cast<Signed>(arrow::load<Index>(values, offset + rows(i)));
            const Signed absent = valid ? valid[i] - 1 : 0;  // all bits, or none
            bad |= ((code < 0) | (code >= limit)) & ~absent;
            codes[i] = static_cast<int32_t>(code | absent);
        }
        if (bad) arrow::fail(column.name, "has dictionary codes beyond its dictionary of " + std::to_string(limit));
        return codes;
    }

    // Run k holds the rows from the end of run k - 1 to its own end, counted from before the column's offset.
    template <class End, class Rows>
    const int32_t* read_runs(const Column& column, Rows rows, int64_t n, Decoded& out) const {
        const int64_t n_runs = column_at(column.dictionary).length;
        const int64_t ends_offset = column.array->children[0]->offset;
        const auto end_of = [&](int64_t run) {
            return static_cast<int64_t>(arrow::load<End>(column.values, ends_offset + run));
        };
        int32_t* codes = out.code_room.room(static_cast<size_t>(n));
        const uint8_t* valid = read_masks(column, rows, n, out);  // of the structs around it
        int64_t run = 0, begin = 0, end = 0;                      // rows [begin, end) are of that run
        for (int64_t i = 0; i < n; ++i) {
            if (valid && !valid[i]) {
                codes[i] = -1;
                continue;
            }
            const int64_t at = column.offset + rows(i);
            if (at < begin || at >= end) {
                int64_t low = 0, high = n_runs;
                if (at >= end && run + 1 < n_runs && end > 0 && at < end_of(run + 1)) {
                    low = run + 1;  // the usual step
                } else {
                    while (low < high) {
                        const int64_t middle = low + (high - low) / 2;
                        if (end_of(middle) <= at) {
                            low = middle + 1;
                        } else {
                            high = middle;
                        }
                    }
                }
                if (low == n_runs) arrow::fail(column.name, "has runs that end before row " + std::to_string(rows(i)));
                run = low;
                begin = run ? end_of(run - 1) : 0;
                end = end_of(run);
            }
            codes[i] = static_cast<int32_t>(run);
        }
        return codes;
    }
};

}  // namespace boolsieve
