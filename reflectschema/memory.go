package reflectschema

import (
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A client decides how many values it sends, and a Go type how much memory each of them takes: {} may be a struct of a
// kilobyte, or one with defaults that take as much. So what is decoded from input is counted where memory is taken for
// it: a list that grows, the entries of a map, what pointers and interfaces point at, defaults. The texts in a value are
// counted together, as the length of its JSON, and a big.Int is counted as its digits. The memory that methods of other types
// allocate, such as UnmarshalJSON, is not counted.
const (
	// maxDecoded is how many bytes a decoded value may take, unless its JSON is very long: four times the largest message
	// that servers accept by default. The collector lets garbage take as much again, and the result may be as large as the
	// message. Half a million integers take 4 MB, as many maps of three members some 60 MB.
	maxDecoded = 64 << 20
	// maxGrowth is how many times its JSON a decoded value may take, where that is more: servers may accept
	// larger messages.
	maxGrowth = 4
)

// What Go takes for some values, in bytes.
const (
	mapSize      = 48  // of a map without entries
	mapGroup     = 8   // entries that the first one makes room for
	mapDirect    = 128 // larger elements stand behind a pointer
	zoneSize     = 160 // of a time.Location with one offset, which package time shares if it is of full hours
	numberSize   = 8   // of a float64 in an interface
	textSize     = 16  // of a string in an interface, and of an interface
	elementsSize = 24  // of a slice in an interface
)

// memoryFor returns how much memory may be taken for what is decoded from data.
func memoryFor(data []byte, d Direction) rules.Memory {
	if d != Input {
		return math.MaxInt // the program wrote it
	}
	return rules.Memory(mostDecoded(data) - len(data))
}

func mostDecoded(data []byte) int { return max(maxDecoded, maxGrowth*len(data)) }

// tooMuchMemory is the error for data whose value would take too much.
func tooMuchMemory(data []byte) error {
	most := strconv.Itoa(mostDecoded(data) >> 20)
	return invalidAt(nil, Violation{Keyword: keywordDecode, Want: "smaller: decoded, it would take more than " + most + " MiB of memory"})
}

// firstItems is how many elements a slice has room for at first.
const firstItems = 4

// growList makes room for more than the n elements that a slice has, and is full of. It reports whether there was the
// memory.
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

// takeEntry takes the memory of the next entry of a map that has n.
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

// anyEntries returns how many entries a map has room for that has n.
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

// takeTime takes the memory of a time zone that is not shared.
func takeTime(m *rules.Memory, t time.Time) bool {
	const hour = 3600
	_, offset := t.Zone()
	return offset%hour == 0 || m.Take(zoneSize)
}
