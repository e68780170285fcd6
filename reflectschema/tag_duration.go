package reflectschema

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"time"
)

// durationType is written as a number of nanoseconds, which is hard to read in a tag.
var durationType = reflect.TypeFor[time.Duration]()

// numberText returns the JSON number that a tag writes for a value of a node: the text
// itself, or for a time.Duration also one such as 1m30s.
func numberText(text string, n *node) (string, *fault) {
	if n.goType != durationType || isNumber().MatchString(text) {
		return text, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return "", &fault{reason: fmt.Sprintf("%q is no duration that time.ParseDuration reads", text), fix: "write it like 1m30s, or as a number of nanoseconds"}
	}
	return strconv.FormatInt(int64(d), 10), nil
}

// parseNumberOf reads a number of the type of a node, and returns it in JSON, too.
func parseNumberOf(text string, n *node) (string, *big.Rat, *fault) {
	text, f := numberText(text, n)
	if f != nil {
		return "", nil, f
	}
	r, f := parseNumber(text)
	return text, r, f
}
