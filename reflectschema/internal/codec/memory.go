package codec

import (
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A client determines how many values it sends, and a Go type how much memory each of them takes: {} may become a
// struct of a kilobyte, or one with defaults that take as much. So memory is counted where decoding an input allocates
// it: the growth of slices, the entries of maps, the targets of pointers and interfaces, defaults. All strings in a
// value count together, as the length of its JSON, and a big.Int counts as its digits. Memory that methods of other
// types allocate, such as UnmarshalJSON, is not counted.
const (
	// maxDecoded is the maximum size of a decoded value in bytes, unless its JSON is very long: four times the largest
	// message that servers accept by default. The collector may let garbage take as much again, and the result may be
	// as large as the message. Half a million integers take 4 MB; half a million maps of three members take about 60
	// MB.
	maxDecoded = 64 << 20
	// maxGrowth is the maximum ratio of a decoded value to its JSON, if that allows more than maxDecoded: servers may
	// accept larger messages.
	maxGrowth = 4
)

// Sizes of some values in Go, in bytes.
const (
	mapSize      = 48  // of a map without entries
	mapGroup     = 8   // number of entries allocated with the first one
	mapDirect    = 128 // larger elements are stored behind a pointer
	zoneSize     = 160 // of a time.Location with one offset; package time shares the locations of full hours
	numberSize   = 8   // of a float64 in an interface
	textSize     = 16  // of a string in an interface, and of an interface
	elementsSize = 24  // of a slice in an interface
)

// TooLarge is the size of a value that would exceed the limit.
const TooLarge = -1

// memoryFor returns the limit for decoding data.
func memoryFor(data []byte, d Direction) rules.Memory {
	if d != Input {
		return math.MaxInt // the program wrote it
	}
	return rules.Memory(max(maxDecoded, maxGrowth*len(data)) - len(data))
}

// TooMuchMemory returns the violation of data whose value would exceed the limit.
func TooMuchMemory(data []byte) *Violations {
	most := strconv.Itoa((int(memoryFor(data, Input)) + len(data)) >> 20)
	return &Violations{
		List:  []Violation{{Keyword: KeywordDecode, Want: "smaller: decoded, it would take more than " + most + " MiB of memory"}},
		Total: 1,
	}
}

// firstItems is the initial capacity of a slice.
const firstItems = 4

// growList grows a full slice of n elements. It returns false if the memory is not available.
func growList(m *rules.Memory, list reflect.Value, elem reflect.Type, n int) bool {
	size := int(elem.Size())
	more := max(n, firstItems)
	if !m.Has(2 * more * size) { // Grow may round up
		more = n/4 + firstItems
	}
	if !m.Has(more * size) {
		*m = -1
		return false
	}
	list.Grow(more)
	return m.Take((list.Cap() - n) * size)
}

// takeEntry takes the memory of the next entry of a map with n entries.
func takeEntry(m *rules.Memory, t reflect.Type, n int) bool {
	elem := int(t.Elem().Size())
	slot := int(t.Key().Size()) + elem
	beside := 0
	if elem > mapDirect {
		slot, beside = slot-elem+8, elem
	}
	switch {
	case n == 0:
		return m.Take(mapGroup*slot + beside)
	case n < mapGroup:
		return m.Take(beside)
	default:
		return m.Take(2*slot + beside) // a map is half full on average
	}
}

// anyEntries returns the number of entries allocated for a map of n entries.
func anyEntries(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= mapGroup:
		return mapGroup
	default:
		return 2 * n
	}
}

// takeTime takes the memory of a time zone, unless package time shares it.
func takeTime(m *rules.Memory, t time.Time) bool {
	const hour = 3600
	_, offset := t.Zone()
	return offset%hour == 0 || m.Take(zoneSize)
}
