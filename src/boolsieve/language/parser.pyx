"""The parser: UTF-8 text in, the flat postfix tree out, in one pass over the bytes.

There is no token list. `skip` passes space and comments, and each function below reads its own part of the
grammar at `source.at`. A group (the text itself, or what one parenthesis holds) needs only three facts while
it is read: how many prefix NOTs wait for the operand, whether an AND waits for its right side, whether an OR
does. These are a `Group`; an opening parenthesis puts the outer one on a stack in the heap, so depth costs
memory and never the C stack.

    group       = [group OR] conjunction
    conjunction = [conjunction AND] {NOT} operand
    operand     = "(" group ")" | TRUE | FALSE | attribute [test] | literal comparison attribute

Errors: `fail` and `unexpected` take the place, and find line, column and words only then.
"""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from boolsieve.language.tree cimport (
    LITERAL_BOOL, LITERAL_DATE, LITERAL_FLOAT, LITERAL_INT, LITERAL_STRING, LITERAL_TIME,
    OP_AND, OP_ATTRIBUTE, OP_BETWEEN, OP_CONTAINS, OP_ENDS, OP_EQ, OP_FALSE, OP_GE, OP_GT, OP_HAS, OP_HAS_ALL,
    OP_HAS_ANY, OP_HAS_NONE, OP_ILIKE, OP_IN, OP_IS_DISTINCT, OP_IS_NULL, OP_LE, OP_LIKE, OP_LT, OP_MATCHES,
    OP_NE, OP_NOT, OP_OR, OP_STARTS, OP_TRUE,
    Literal, Node, Op, Tree,
)

from boolsieve.errors import ParseError


cdef extern from "Python.h" nogil:
    # Look-ups in CPython's static tables: no object, no GIL.
    int Py_UNICODE_ISALPHA(uint32_t point)
    int Py_UNICODE_ISALNUM(uint32_t point)
    int Py_UNICODE_ISSPACE(uint32_t point)

cdef extern from *:
    """
    #include <charconv>
    // Correctly rounded, without locale. False: beyond the range of a double, too large or too small.
    static inline bool boolsieve_to_double(const char* begin, const char* end, double* value) noexcept {
        return std::from_chars(begin, end, *value).ec == std::errc();
    }
    """
    cbool boolsieve_to_double(const char* begin, const char* end, double* value) noexcept nogil


cdef enum Keyword:
    NO_KEYWORD
    KW_ALL
    KW_AND
    KW_ANY
    KW_BETWEEN
    KW_CONTAINS
    KW_DATE
    KW_DISTINCT
    KW_ENDS
    KW_ESCAPE
    KW_FALSE
    KW_FROM
    KW_HAS
    KW_ILIKE
    KW_IN
    KW_INFINITY
    KW_IS
    KW_LIKE
    KW_MATCHES
    KW_NONE
    KW_NOT
    KW_NULL
    KW_OR
    KW_STARTS
    KW_TIMESTAMP
    KW_TRUE
    KW_WITH

# In the order of the enum, which is the order of the alphabet.
WORDS = (
    "ALL", "AND", "ANY", "BETWEEN", "CONTAINS", "DATE", "DISTINCT", "ENDS", "ESCAPE", "FALSE", "FROM", "HAS",
    "ILIKE", "IN", "INFINITY", "IS", "LIKE", "MATCHES", "NONE", "NOT", "NULL", "OR", "STARTS", "TIMESTAMP",
    "TRUE", "WITH",
)

# The words that are a name only in double quotes. DATE and TIMESTAMP are common names of attributes, and are
# keywords only in front of a string.
RESERVED = frozenset(WORDS) - {"DATE", "TIMESTAMP"}

# What a byte can be; the HIGH ones belong to characters beyond ASCII.
cdef enum:
    START = 1
    PART = 2
    DIGIT = 4
    SPACE = 8
    HIGH = 16

cdef struct Word:
    uint64_t tail  # its last eight letters in upper case; with first letter and length that is all of it
    size_t length

cdef uint8_t KIND[256]
cdef Word KEYWORD[27]
cdef cbool RESERVED_WORD[27]
cdef uint8_t FIRST_WITH[33]  # by first letter (its low five bits): where its keywords begin in KEYWORD


cdef int fill_tables() except -1:
    cdef int byte, i, j
    cdef str word
    for byte in range(256):
        KIND[byte] = 0
        if byte >= 128:
            KIND[byte] = HIGH
        elif c'a' <= byte <= c'z' or c'A' <= byte <= c'Z' or byte == c'_':
            KIND[byte] = START | PART
        elif c'0' <= byte <= c'9':
            KIND[byte] = DIGIT | PART
        elif byte == c'$':
            KIND[byte] = PART
        elif byte == c' ' or 9 <= byte <= 13:
            KIND[byte] = SPACE
    for i in range(33):
        FIRST_WITH[i] = 1
    RESERVED_WORD[0] = False
    for i, word in enumerate(WORDS, 1):
        for j in range((ord(word[0]) & 31) + 1, 33):
            FIRST_WITH[j] += 1
        KEYWORD[i].tail = 0
        KEYWORD[i].length = len(word)
        for letter in word:
            KEYWORD[i].tail = (KEYWORD[i].tail << 8) | <uint64_t>ord(letter)
        RESERVED_WORD[i] = word in RESERVED
    return 0

fill_tables()


cdef struct Source:
    const char* begin
    const char* at
    const char* end
    const char* token_end  # where the last token ended: an error at the end of the text points there
    Tree* tree

cdef struct Group:
    const char* open    # its parenthesis
    uint32_t negations  # prefix NOTs that wait for the operand
    cbool conjunction   # an AND waits for its right side
    cbool disjunction   # an OR waits for its right side


# --- characters -----------------------------------------------------------------------------------

cdef inline uint8_t kind(const char* at) noexcept nogil:
    return KIND[<uint8_t>at[0]]


cdef inline size_t character_length(const char* at) noexcept nogil:
    """Bytes of the character; the text is valid UTF-8."""
    cdef uint8_t byte = <uint8_t>at[0]
    return 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4


cdef inline uint32_t code_point(const char* at) noexcept nogil:
    cdef const uint8_t* byte = <const uint8_t*>at
    if byte[0] < 0x80:
        return byte[0]
    if byte[0] < 0xE0:
        return (byte[0] & 0x1F) << 6 | (byte[1] & 0x3F)
    if byte[0] < 0xF0:
        return (byte[0] & 0x0F) << 12 | (byte[1] & 0x3F) << 6 | (byte[2] & 0x3F)
    return (byte[0] & 0x07) << 18 | (byte[1] & 0x3F) << 12 | (byte[2] & 0x3F) << 6 | (byte[3] & 0x3F)


cdef const char* first_invalid(const char* at, const char* end) noexcept nogil:
    """Where the text stops to be UTF-8 (surrogates and overlong forms are not), or the end."""
    cdef uint64_t eight
    cdef uint8_t byte
    cdef uint32_t point, least
    cdef int more, i
    while at < end:
        if end - at >= 8:
            memcpy(&eight, at, 8)
            if eight & <uint64_t>0x8080808080808080 == 0:
                at += 8
                continue
        byte = <uint8_t>at[0]
        if byte < 0x80:
            at += 1
            continue
        if 0xC2 <= byte <= 0xDF:
            more, point, least = 1, byte & 0x1F, 0x80
        elif 0xE0 <= byte <= 0xEF:
            more, point, least = 2, byte & 0x0F, 0x800
        elif 0xF0 <= byte <= 0xF4:
            more, point, least = 3, byte & 0x07, 0x10000
        else:
            return at
        if end - at <= more:
            return at
        for i in range(1, more + 1):
            byte = <uint8_t>at[i]
            if byte & 0xC0 != 0x80:
                return at
            point = point << 6 | (byte & 0x3F)
        if point < least or point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            return at
        at += more + 1
    return end


cdef inline cbool starts_word(const char* at) noexcept nogil:
    return kind(at) & START or (kind(at) & HIGH and Py_UNICODE_ISALPHA(code_point(at)))


cdef inline const char* word_end(const char* at, const char* end) noexcept nogil:
    while at < end:
        if kind(at) & PART:
            at += 1
        elif kind(at) & HIGH and Py_UNICODE_ISALNUM(code_point(at)):
            at += character_length(at)
        else:
            break
    return at


cdef inline Keyword keyword_of(const char* at, const char* stop) noexcept nogil:
    """The keyword that the word is. Clearing the case bit turns no other character into a letter."""
    cdef size_t length = stop - at
    cdef uint64_t tail = 0
    cdef int i, letter
    if length < 2 or length > 9 or not kind(at) & START:
        return NO_KEYWORD
    letter = at[0] & 31
    for i in range(FIRST_WITH[letter], FIRST_WITH[letter + 1]):
        if KEYWORD[i].length == length:
            if not tail:
                while at < stop:
                    tail = tail << 8 | (<uint8_t>at[0] & 0xDF)
                    at += 1
            if KEYWORD[i].tail == tail:
                return <Keyword>i
    return NO_KEYWORD


# --- errors ---------------------------------------------------------------------------------------

cdef str token_at(const Source* source, const char* at):
    """The token at that place, as a message shows it."""
    cdef const char* stop = at + character_length(at)
    if at[0] == c"'" or at[0] == c'"':
        stop = <const char*>memchr(at + 1, at[0], source.end - at - 1)
        stop = source.end if stop == NULL else stop + 1
    elif kind(at) & PART or starts_word(at):
        stop = word_end(at, source.end)
    token = at[:stop - at].decode("utf-8", "replace")
    if token.isspace():
        return "space"
    if len(token) == 1 and not token.isprintable():
        return f"the character U+{ord(token):04X}"
    return token if len(token) <= 40 else token[:39] + "..."


cdef int fail(
    const Source* source, const char* at, const char* problem, const char* expected
) except -1 with gil:
    """Raise ParseError for that place. {} in the two texts stands for the token there."""
    cdef const char* line = at
    while line > source.begin and (line - 1)[0] != c'\n':
        line -= 1
    text = source.begin[:source.end - source.begin].decode("utf-8", "replace")
    before = source.begin[:line - source.begin]
    column = len(line[:at - line].decode("utf-8", "replace")) + 1
    words = [problem.decode(), expected.decode()]
    if "{}" in words[0] + words[1]:
        words = [word.replace("{}", token_at(source, at)) for word in words]
    raise ParseError(words[0], text, before.count(b"\n") + 1, column, words[1])


cdef int unexpected(const Source* source, const char* at, const char* expected) except -1 nogil:
    if at >= source.end:
        return fail(source, source.token_end, b"unexpected end of the text", expected)
    if RESERVED_WORD[<int>keyword_of(at, word_end(at, source.end))]:
        return fail(source, at, b"unexpected keyword {}", expected)
    return fail(source, at, b"unexpected {}", expected)


# --- space, words, names --------------------------------------------------------------------------

cdef int skip_rest(Source* source) except -1 nogil:
    """Pass comments and space of any kind."""
    cdef const char* at = source.at
    cdef const char* end = source.end
    cdef const char* open
    while at < end:
        if kind(at) & SPACE:
            at += 1
        elif at[0] == c'-' and end - at > 1 and at[1] == c'-':
            at = <const char*>memchr(at, c'\n', end - at)
            if at == NULL:
                at = end
        elif at[0] == c'/' and end - at > 1 and at[1] == c'*':
            open = at
            at += 2
            while True:
                at = <const char*>memchr(at, c'*', end - at)
                if at == NULL or end - at < 2:
                    return fail(source, open, b"a comment without an end", b"*/")
                at += 1
                if at[0] == c'/':
                    at += 1
                    break
        elif kind(at) & HIGH and Py_UNICODE_ISSPACE(code_point(at)):
            at += character_length(at)
        else:
            break
    source.at = at
    return 0


cdef inline int skip(Source* source) except -1 nogil:
    """Go to the next token."""
    source.token_end = source.at
    if source.at < source.end and source.at[0] == c' ':
        source.at += 1
    if source.at < source.end and (kind(source.at) & (START | DIGIT) or source.at[0] == c"'"):
        return 0
    return skip_rest(source)


cdef inline Keyword keyword_at(const Source* source, const char** stop) noexcept nogil:
    """The keyword at this place, if there is one, and where it ends."""
    if source.at >= source.end or not kind(source.at) & START:
        stop[0] = source.at
        return NO_KEYWORD
    stop[0] = word_end(source.at, source.end)
    return keyword_of(source.at, stop[0])


cdef inline cbool before_string(const Source* source, const char* at) noexcept nogil:
    """Whether the next token is a string (a comment in between is not looked through)."""
    while at < source.end and kind(at) & SPACE:
        at += 1
    return at < source.end and at[0] == c"'"


cdef inline cbool reserved(const Source* source, Keyword keyword, const char* stop) noexcept nogil:
    """Whether the word stands for itself here, and is no name."""
    if keyword == KW_DATE or keyword == KW_TIMESTAMP:
        return before_string(source, stop)
    return keyword != NO_KEYWORD


cdef int quoted(Source* source, const char* unterminated, const char* expected) except -1 nogil:
    """Append to the arena what stands between two quotes at this place; a doubled quote is one."""
    cdef const char* open = source.at
    cdef const char* at = open + 1
    cdef const char* stop
    while True:
        stop = <const char*>memchr(at, open[0], source.end - at)
        if stop == NULL:
            return fail(source, open, unterminated, expected)
        if source.end - stop > 1 and stop[1] == open[0]:
            source.tree.arena.append(at, stop - at + 1)
            at = stop + 2
        else:
            source.tree.arena.append(at, stop - at)
            source.at = stop + 1
            return 0


cdef int attribute(Source* source, Node* node, const char* stop) except -1 nogil:
    """Read a name into the node: parts with dots between them, each a word or in double quotes.

    stop is the end of the first word if the caller knows it, and that it is no keyword, else NULL.
    """
    cdef const char* at
    cdef size_t part
    node.name = source.tree.arena.size()
    if stop == NULL and source.at < source.end and starts_word(source.at):
        stop = word_end(source.at, source.end)
        if reserved(source, keyword_of(source.at, stop), stop):
            return unexpected(source, source.at,
                              b'an attribute (a keyword needs double quotes to be one: "{}")')
    while True:
        at = source.at
        if stop != NULL:
            source.tree.arena.append(at, stop - at)
            source.at = stop
        elif at < source.end and at[0] == c'"':
            part = source.tree.arena.size()
            quoted(source, b"a name without an end", b'a closing "')
            if source.tree.arena.size() == part:
                return fail(source, at, b"an empty name", b"at least one character between the double quotes")
        elif source.tree.arena.size() == node.name:
            return unexpected(source, at, b"an attribute")
        else:
            source.token_end = at
            return unexpected(source, at, b"the next part of the name after the dot")
        if source.at >= source.end or source.at[0] != c'.':
            break
        source.tree.arena.push_back(c'.')
        source.at += 1
        stop = NULL
        if source.at < source.end and starts_word(source.at):
            stop = word_end(source.at, source.end)
    node.name_length = <uint32_t>(source.tree.arena.size() - node.name)
    return 0


# --- literals -------------------------------------------------------------------------------------

cdef int string_literal(Source* source, const char* expected) except -1 nogil:
    cdef Literal literal
    if source.at >= source.end or source.at[0] != c"'":
        return unexpected(source, source.at, expected)
    literal.type = LITERAL_STRING
    literal.offset = source.tree.arena.size()
    quoted(source, b"text without an end", b"a closing ' (a quote within text is written twice)")
    literal.length = <uint32_t>(source.tree.arena.size() - literal.offset)
    source.tree.literals.push_back(literal)
    return 0


cdef int float_out_of_range(
    const Source* source, const char* begin, const char* stop, double* value
) except -1 with gil:
    """Zero for what is too small, as it rounds to that; an error for what is too large."""
    value[0] = float(begin[:stop - begin])
    if value[0] == infinity:
        fail(source, begin, b"a number beyond the range of a float",
             b"a number up to 1.7976931348623157e308 (or INFINITY)")
    return 0


cdef int number_literal(Source* source) except -1 nogil:
    """An integer or a float, with its sign if it has one."""
    cdef const char* begin = source.at
    cdef const char* end = source.end
    cdef const char* digits
    cdef const char* at = begin
    cdef const char* exponent
    cdef Literal literal
    cdef Keyword keyword
    cdef uint64_t value = 0
    cdef uint64_t limit = INT64_MAX
    cdef cbool negative = at[0] == c'-'
    cdef cbool integral = True, overflow = False
    cdef size_t digit_count = 0
    cdef uint8_t digit
    literal.length = 0
    if negative or at[0] == c'+':
        at += 1
        source.at = at
        keyword = keyword_at(source, &digits)
        if keyword == KW_INFINITY:
            literal.type = LITERAL_FLOAT
            literal.real = -infinity if negative else infinity
            source.tree.literals.push_back(literal)
            source.at = digits
            return 0
        if at >= end or not (kind(at) & DIGIT or at[0] == c'.'):
            source.token_end = at
            return unexpected(source, at, b"a number directly after the sign")
    limit += negative
    digits = at
    while at < end and kind(at) & DIGIT:
        digit = at[0] - c'0'
        if value > (limit - digit) // 10:
            overflow = True
        value = value * 10 + digit
        digit_count += 1
        at += 1
    if at < end and at[0] == c'.':
        integral = False
        at += 1
        while at < end and kind(at) & DIGIT:
            digit_count += 1
            at += 1
    if at < end and digit_count and (at[0] == c'e' or at[0] == c'E'):
        exponent = at + 1
        if exponent < end and (exponent[0] == c'-' or exponent[0] == c'+'):
            exponent += 1
        if exponent < end and kind(exponent) & DIGIT:
            integral = False
            at = exponent
            while at < end and kind(at) & DIGIT:
                at += 1
    if digit_count == 0 or (at < end and (kind(at) & PART or at[0] == c'.')):
        return fail(source, begin, b"a malformed number",
                    b"a number such as 5, -2.5 or 1e3, and space after it")
    if integral:
        if overflow:
            return fail(source, begin, b"an integer beyond 64 bits",
                        b"one from -9223372036854775808 to 9223372036854775807")
        literal.type = LITERAL_INT
        literal.integer = <int64_t>(0 - value if negative else value)
    else:
        literal.type = LITERAL_FLOAT
        if not boolsieve_to_double(digits, at, &literal.real):
            float_out_of_range(source, digits, at, &literal.real)
        if negative and literal.real != 0:
            literal.real = -literal.real
    source.tree.literals.push_back(literal)
    source.at = at
    return 0


cdef double infinity = float("inf")

cdef enum:
    NOT_DIGITS = -1
    # Days from 0001-01-01 to 1970-01-01.
    EPOCH_DAY = 719162
cdef int64_t SECOND = 1_000_000
cdef int64_t DAY = 86_400 * 1_000_000
cdef int64_t FIRST_TIME = -62_135_596_800_000_000  # 0001-01-01 00:00:00, where Python's datetime begins
cdef int64_t LAST_TIME = 253_402_300_799_999_999   # 9999-12-31 23:59:59.999999
cdef int DAYS_BEFORE_MONTH[13]
DAYS_BEFORE_MONTH[:] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]


cdef inline int digits_at(const char* at, const char* end, int count) noexcept nogil:
    """The number that so many digits make."""
    cdef int value = 0
    if end - at < count:
        return NOT_DIGITS
    while count:
        if not kind(at) & DIGIT:
            return NOT_DIGITS
        value = value * 10 + (at[0] - c'0')
        at += 1
        count -= 1
    return value


cdef inline int64_t day_number(int year, int month, int day) noexcept nogil:
    """Days since 1970, or INT64_MAX if the calendar has no such day."""
    cdef cbool leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    cdef int past = year - 1
    if year < 1 or month < 1 or month > 12 or day < 1:
        return INT64_MAX
    if day > DAYS_BEFORE_MONTH[month] - DAYS_BEFORE_MONTH[month - 1] + (leap and month == 2):
        return INT64_MAX
    return (365 * past + past // 4 - past // 100 + past // 400 + DAYS_BEFORE_MONTH[month - 1]
            + (leap and month > 2) + day - 1 - EPOCH_DAY)


cdef int time_literal(Source* source, cbool date) except -1 nogil:
    """The string after DATE or TIMESTAMP."""
    cdef const char* open = source.at
    cdef const char* at = open + 1
    cdef const char* stop = <const char*>memchr(at, c"'", source.end - at)
    cdef const char* expected = b"DATE 'YYYY-MM-DD' with a day from 0001-01-01 to 9999-12-31"
    cdef Literal literal
    cdef int hour, minute, second = 0, sign, scale = 100_000
    cdef int64_t day, micros = 0
    if stop == NULL:
        return fail(source, open, b"text without an end", b"a closing '")
    if not date:
        expected = b"TIMESTAMP 'YYYY-MM-DD hh:mm[:ss[.ffffff]][Z|+hh:mm|-hh:mm]'"
    if stop - at < 10 or at[4] != c'-' or at[7] != c'-' or (date and stop - at > 10):
        return fail(source, open, b"{} is not a date" if date else b"{} is not a timestamp", expected)
    day = day_number(digits_at(at, stop, 4), digits_at(at + 5, stop, 2), digits_at(at + 8, stop, 2))
    if day == INT64_MAX:
        return fail(source, open, b"{} is not a day of the calendar", expected)
    literal.type = LITERAL_DATE if date else LITERAL_TIME
    literal.length = 0
    literal.integer = day * DAY
    at += 10
    if not date:
        if stop - at < 6 or (at[0] != c' ' and at[0] != c'T' and at[0] != c't') or at[3] != c':':
            return fail(source, open, b"{} is not a timestamp", expected)
        hour, minute = digits_at(at + 1, stop, 2), digits_at(at + 4, stop, 2)
        at += 6
        if at < stop and at[0] == c':':
            second = digits_at(at + 1, stop, 2)
            at += 3
            if second != NOT_DIGITS and at < stop and at[0] == c'.':
                at += 1
                if at >= stop or not kind(at) & DIGIT:
                    return fail(source, open, b"{} is not a timestamp", expected)
                while at < stop and kind(at) & DIGIT:
                    if scale == 0 and at[0] != c'0':
                        return fail(source, open, b"{} is finer than a microsecond",
                                    b"six digits after the point")
                    micros += scale * (at[0] - c'0')
                    scale //= 10
                    at += 1
        if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59):
            return fail(source, open, b"{} is not a time of the day", expected)
        literal.integer += ((hour * 60 + minute) * 60 + second) * SECOND + micros
        if at < stop and (at[0] == c'Z' or at[0] == c'z'):
            at += 1
        elif at < stop and (at[0] == c'+' or at[0] == c'-'):
            sign = 1 if at[0] == c'+' else -1
            hour, minute = digits_at(at + 1, stop, 2), digits_at(at + 4, stop, 2)
            if stop - at < 6 or at[3] != c':' or not (0 <= hour <= 23 and 0 <= minute <= 59):
                return fail(source, open, b"{} has no valid offset from UTC", expected)
            literal.integer -= sign * (hour * 60 + minute) * 60 * SECOND
            at += 6
        if at != stop:
            return fail(source, open, b"{} is not a timestamp", expected)
        if not FIRST_TIME <= literal.integer <= LAST_TIME:
            return fail(source, open, b"{} is outside the years 0001 to 9999 in UTC", expected)
    source.tree.literals.push_back(literal)
    source.at = stop + 1
    return 0


cdef int no_literal(Source* source, Keyword keyword, const char* stop) except -1 nogil:
    """Raise for what stands where a literal is expected."""
    cdef const char* at = source.at
    if keyword == KW_NULL:
        return fail(source, at, b"nothing compares with NULL",
                    b"a literal (to test for absence: IS NULL or IS NOT NULL)")
    if at < source.end and at[0] == c'"':
        return fail(source, at, b"{} is a name",
                    b"a literal (double quotes are for names, text needs single quotes)")
    if at < source.end and starts_word(at) and not RESERVED_WORD[<int>keyword]:
        return fail(source, at, b"{} is a name", b"a literal (text needs single quotes: '{}')")
    return unexpected(source, at,
                      b"a literal: a number, text in single quotes, TRUE, FALSE, DATE '...', TIMESTAMP '...'")


cdef int literal(Source* source) except -1 nogil:
    """Read one literal of any type."""
    cdef const char* stop = source.at
    cdef Keyword keyword = NO_KEYWORD
    cdef Literal value
    if source.at < source.end:
        if kind(source.at) & DIGIT or source.at[0] == c'-' or source.at[0] == c'+' or source.at[0] == c'.':
            return number_literal(source)
        if source.at[0] == c"'":
            return string_literal(source, b"")
    keyword = keyword_at(source, &stop)
    value.length = 0
    if keyword == KW_TRUE or keyword == KW_FALSE:
        value.type = LITERAL_BOOL
        value.integer = keyword == KW_TRUE
    elif keyword == KW_INFINITY:
        value.type = LITERAL_FLOAT
        value.real = infinity
    elif (keyword == KW_DATE or keyword == KW_TIMESTAMP) and before_string(source, stop):
        source.at = stop
        skip(source)
        return time_literal(source, keyword == KW_DATE)
    else:
        return no_literal(source, keyword, stop)
    source.tree.literals.push_back(value)
    source.at = stop
    return 0


cdef int literals(Source* source) except -1 nogil:
    """Read (x, y, ...)."""
    cdef const char* open
    skip(source)
    open = source.at
    if open >= source.end or open[0] != c'(':
        return unexpected(source, open, b"a list of literals in parentheses")
    source.at += 1
    skip(source)
    if source.at < source.end and source.at[0] == c')':
        return fail(source, source.at, b"an empty list", b"at least one literal")
    while True:
        if source.at < source.end:
            literal(source)
            skip(source)
        if source.at >= source.end:
            return fail(source, open, b"a parenthesis that is never closed",
                        b"a closing ) at the end of the list")
        if source.at[0] == c')':
            source.at += 1
            return 0
        if source.at[0] != c',':
            return unexpected(source, source.at, b", or )")
        source.at += 1
        skip(source)


# --- predicates -----------------------------------------------------------------------------------

cdef inline int comparison(Source* source) except -1 nogil:
    """Read = == != <> < <= > >= if one stands here, and give its Op; 0 (no comparison's) if none does."""
    cdef const char* at = source.at
    cdef char second
    if at >= source.end or not c'!' <= at[0] <= c'>':
        return 0
    second = at[1] if source.end - at > 1 else 0
    if at[0] == c'=':
        source.at += 2 if second == c'=' else 1
        return OP_EQ
    if at[0] == c'<':
        source.at += 2 if second == c'=' or second == c'>' else 1
        return OP_LE if second == c'=' else OP_NE if second == c'>' else OP_LT
    if at[0] == c'>':
        source.at += 2 if second == c'=' else 1
        return OP_GE if second == c'=' else OP_GT
    if at[0] == c'!':
        if second != c'=':
            return unexpected(source, at, b"!=")
        source.at += 2
        return OP_NE
    return 0


cdef inline Op flipped(Op op) noexcept nogil:
    """The comparison with its sides exchanged."""
    if op == OP_LT:
        return OP_GT
    if op == OP_LE:
        return OP_GE
    if op == OP_GT:
        return OP_LT
    if op == OP_GE:
        return OP_LE
    return op


cdef inline int expect(Source* source, Keyword wanted, const char* expected) except -1 nogil:
    """Pass a keyword that must follow."""
    cdef const char* stop
    skip(source)
    if keyword_at(source, &stop) != wanted:
        return unexpected(source, source.at, expected)
    source.at = stop
    return 0


cdef int like(Source* source, Node* node) except -1 nogil:
    """The pattern after LIKE or ILIKE, and its escape character."""
    cdef const char* stop
    cdef const char* place
    cdef const char* pattern
    cdef const char* pattern_place
    cdef const char* pattern_end
    cdef Literal text, escape
    skip(source)
    pattern_place = source.at
    string_literal(source, b"a pattern in single quotes")
    text = source.tree.literals.back()
    skip(source)
    if keyword_at(source, &stop) != KW_ESCAPE:
        return 0
    source.at = stop
    skip(source)
    place = source.at
    string_literal(source, b"the escape character in single quotes")
    escape = source.tree.literals.back()
    source.tree.literals.pop_back()
    source.tree.arena.push_back(0)
    if escape.length == 0 or character_length(source.tree.arena.data() + escape.offset) != escape.length:
        return fail(source, place, b"an escape that is not one character",
                    b"exactly one character in single quotes")
    node.escape = code_point(source.tree.arena.data() + escape.offset)
    if node.escape == 0:
        return fail(source, place, b"an escape that is the character U+0000", b"another character")
    source.tree.arena.resize(escape.offset)
    pattern = source.tree.arena.data() + text.offset
    pattern_end = pattern + text.length
    while pattern < pattern_end:
        if code_point(pattern) == node.escape:
            pattern += character_length(pattern)
            if pattern >= pattern_end:
                return fail(source, pattern_place, b"a pattern that ends in its escape character",
                            b"a character after the escape")
        pattern += character_length(pattern)
    return 0


cdef int test(Source* source, Node* node, Keyword keyword, const char* stop) except -1 nogil:
    """Read what follows an attribute and begins with a keyword. If that is no test, node stays as it is."""
    cdef const char* place
    if keyword == KW_IS:
        source.at = stop
        skip(source)
        keyword = keyword_at(source, &stop)
        if keyword == KW_NOT:
            node.negated = True
            source.at = stop
            skip(source)
            keyword = keyword_at(source, &stop)
        if keyword == KW_NULL:
            source.at = stop
            node.op = OP_IS_NULL
        elif keyword == KW_DISTINCT:
            source.at = stop
            expect(source, KW_FROM, b"FROM")
            skip(source)
            node.op = OP_IS_DISTINCT
            if keyword_at(source, &stop) == KW_NULL:
                source.at = stop
                node.op = OP_IS_NULL
                node.negated = not node.negated
            else:
                literal(source)
        else:
            return unexpected(source, source.at, b"NULL or DISTINCT FROM" if node.negated
                              else b"NULL, NOT NULL, DISTINCT FROM or NOT DISTINCT FROM")
        return 0
    if keyword == KW_NOT:
        node.negated = True
        source.at = stop
        skip(source)
        keyword = keyword_at(source, &stop)
    place = source.at
    source.at = stop
    if keyword == KW_IN:
        node.op = OP_IN
        literals(source)
    elif keyword == KW_BETWEEN:
        node.op = OP_BETWEEN
        skip(source)
        literal(source)
        expect(source, KW_AND, b"AND and the upper bound")
        skip(source)
        literal(source)
    elif keyword == KW_LIKE or keyword == KW_ILIKE:
        node.op = OP_LIKE if keyword == KW_LIKE else OP_ILIKE
        like(source, node)
    elif keyword == KW_STARTS or keyword == KW_ENDS:
        node.op = OP_STARTS if keyword == KW_STARTS else OP_ENDS
        expect(source, KW_WITH, b"WITH")
        skip(source)
        string_literal(source, b"text in single quotes")
    elif keyword == KW_CONTAINS:
        node.op = OP_CONTAINS
        skip(source)
        string_literal(source, b"text in single quotes (an element of a list is tested by HAS)")
    elif keyword == KW_MATCHES:
        node.op = OP_MATCHES
        skip(source)
        string_literal(source, b"a regular expression in single quotes")
    elif keyword == KW_HAS:
        skip(source)
        keyword = keyword_at(source, &stop)
        node.op = (OP_HAS_ANY if keyword == KW_ANY else OP_HAS_ALL if keyword == KW_ALL
                   else OP_HAS_NONE if keyword == KW_NONE else OP_HAS)
        if node.op == OP_HAS:
            literal(source)
        elif node.negated:
            return unexpected(source, source.at,
                              b"a literal (NOT of HAS ANY, ALL or NONE goes before the attribute)")
        else:
            source.at = stop
            literals(source)
    else:
        source.at = place
        if node.negated:
            return unexpected(
                source, place,
                b"IN, BETWEEN, LIKE, ILIKE, STARTS WITH, ENDS WITH, CONTAINS, MATCHES or HAS after NOT",
            )
    return 0


cdef inline void start_node(const Source* source, Node* node, Op op) noexcept nogil:
    node.op = op
    node.negated = False
    node.escape = 0
    node.name = 0
    node.name_length = 0
    node.first = <uint32_t>source.tree.literals.size()
    node.count = 0


cdef inline int emit(Source* source, Op op) except -1 nogil:
    cdef Node node
    start_node(source, &node, op)
    source.tree.nodes.push_back(node)
    return 0


cdef int predicate(Source* source, const char* stop) except -1 nogil:
    """Read an attribute (whose first word ends at stop, or NULL) and the test that may follow."""
    cdef Node node
    cdef Keyword keyword
    cdef int op
    start_node(source, &node, OP_ATTRIBUTE)
    attribute(source, &node, stop)
    skip(source)
    op = comparison(source)
    if op:
        node.op = <Op>op
        skip(source)
        literal(source)
    else:
        keyword = keyword_at(source, &stop)
        if keyword != KW_AND and keyword != KW_OR and keyword != NO_KEYWORD:
            test(source, &node, keyword, stop)
    node.count = <uint32_t>source.tree.literals.size() - node.first
    source.tree.nodes.push_back(node)
    return 0


cdef int literal_first(Source* source) except -1 nogil:
    """Read literal comparison attribute, or a lone TRUE or FALSE."""
    cdef Node node
    cdef int op
    cdef Literal value
    start_node(source, &node, OP_EQ)
    literal(source)
    skip(source)
    op = comparison(source)
    if op:
        node.op = flipped(<Op>op)
        node.count = 1
        skip(source)
        attribute(source, &node, NULL)
    else:
        value = source.tree.literals.back()
        if value.type != LITERAL_BOOL:
            return unexpected(source, source.at, b"a comparison with an attribute: = != < <= > or >=")
        source.tree.literals.pop_back()
        node.op = OP_TRUE if value.integer else OP_FALSE
    source.tree.nodes.push_back(node)
    return 0


# --- the whole ------------------------------------------------------------------------------------

cdef int no_operand(const Source* source) except -1 nogil:
    """Raise for what stands where an operand is expected."""
    if source.at >= source.end and source.tree.nodes.empty() and source.token_end == source.begin:
        return fail(source, source.begin, b"an empty text",
                    b"an expression such as price < 5 AND in_stock")
    if source.at < source.end and keyword_of(source.at, word_end(source.at, source.end)) != NO_KEYWORD:
        return unexpected(
            source, source.at,
            b'an attribute, a literal, NOT or ( (a keyword needs double quotes to be a name: "{}")',
        )
    return unexpected(source, source.at, b"an attribute, a literal, NOT or (")


cdef int no_operator(const Source* source, cbool closed) except -1 nogil:
    """Raise for what stands where AND, OR or the end is expected."""
    if source.at[0] == c')':
        return fail(source, source.at, b"a closing parenthesis without an opening one",
                    b"AND, OR or the end of the text")
    if not closed and source.tree.nodes.back().op == OP_ATTRIBUTE:
        return unexpected(source, source.at, b"an operator, AND, OR or the end of the text")
    return unexpected(source, source.at, b"AND, OR or the end of the text")


cdef int parse_tree(const char* text, size_t length, Tree& tree) except -1 nogil:
    cdef Source source
    cdef vector[Group] outer
    cdef Group group
    cdef Keyword keyword
    cdef const char* stop
    cdef cbool closed
    tree.clear()
    source.begin = source.at = source.token_end = text
    source.end = text + length
    source.tree = &tree
    group.open = NULL
    group.negations = 0
    group.conjunction = group.disjunction = False
    if length >> 32:
        source.end = text
        return fail(&source, text, b"a text of more than 4 GiB", b"a shorter one")
    stop = first_invalid(text, source.end)
    if stop != source.end:
        return fail(&source, stop, b"a byte that is not UTF-8", b"text in UTF-8")
    while True:
        skip(&source)
        if source.at >= source.end:
            return no_operand(&source)
        if source.at[0] == c'(':
            outer.push_back(group)
            group.open = source.at
            group.negations = 0
            group.conjunction = group.disjunction = False
            source.at += 1
            continue
        if source.at[0] == c'"':
            predicate(&source, NULL)
        elif starts_word(source.at):
            stop = word_end(source.at, source.end)
            keyword = keyword_of(source.at, stop)
            if keyword == KW_NOT:
                group.negations += 1
                source.at = stop
                continue
            if not reserved(&source, keyword, stop):
                predicate(&source, stop)
            elif (keyword == KW_TRUE or keyword == KW_FALSE or keyword == KW_INFINITY or keyword == KW_DATE
                    or keyword == KW_TIMESTAMP):
                literal_first(&source)
            else:
                return no_operand(&source)
        elif (kind(source.at) & DIGIT or source.at[0] == c"'" or source.at[0] == c'-' or source.at[0] == c'+'
                or source.at[0] == c'.'):
            literal_first(&source)
        else:
            return no_operand(&source)
        closed = False
        while True:  # the operand is complete; each closing parenthesis completes one more
            while group.negations:
                emit(&source, OP_NOT)
                group.negations -= 1
            if group.conjunction:
                emit(&source, OP_AND)
                group.conjunction = False
            skip(&source)
            if source.at >= source.end:
                if not outer.empty():
                    return fail(&source, group.open, b"a parenthesis that is never closed", b"a closing )")
                if group.disjunction:
                    emit(&source, OP_OR)
                return 0
            if source.at[0] == c')' and not outer.empty():
                if group.disjunction:
                    emit(&source, OP_OR)
                group = outer.back()
                outer.pop_back()
                source.at += 1
                closed = True
                continue
            keyword = keyword_at(&source, &stop)
            if keyword == KW_AND:
                group.conjunction = True
            elif keyword == KW_OR:
                if group.disjunction:
                    emit(&source, OP_OR)
                group.disjunction = True
            else:
                return no_operator(&source, closed)
            source.at = stop
            break


cdef int parse_text(str text, Tree& tree) except -1:
    cdef Py_ssize_t length
    cdef const char* data
    try:
        data = PyUnicode_AsUTF8AndSize(text, &length)
    except UnicodeEncodeError as error:
        before = text[:error.start]
        raise ParseError(
            f"a lone surrogate U+{ord(text[error.start]):04X}", text, before.count("\n") + 1,
            error.start - (before.rfind("\n") + 1) + 1, "characters that can be written in UTF-8",
        ) from None
    return parse_tree(data, length, tree)
