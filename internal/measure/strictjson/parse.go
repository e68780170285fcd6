package strictjson

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// MaxDepth is the maximum nesting depth of a schema. It is far above handwritten schemas, and limits the stack that
// untrusted input can use.
const MaxDepth = 256

// Parse reads exactly one JSON value from untrusted data. It returns an error for invalid JSON, for data after the
// value, and if containers nest more than levels deep inside the outermost one. Invalid UTF-8 becomes U+FFFD. Of members
// with duplicate names the last one wins, at the position of the first, as in most JSON decoders.
func Parse(data []byte, levels int) (*jsondoc.Value, error) {
	compact, err := rawjson.AppendCompact(nil, Repair(data))
	if err == nil {
		err = rawjson.Valid(compact, levels+1)
	}
	if errors.Is(err, rawjson.ErrDepth) {
		return nil, fmt.Errorf("nested more than %d deep", levels)
	}
	if err != nil {
		return nil, err
	}
	return lastWins(jsondoc.Parse(compact)), nil
}

// lastWins removes duplicate members, in place.
func lastWins(d *jsondoc.Value) *jsondoc.Value {
	at := make(map[string]int, len(d.Members))
	for _, m := range d.Members {
		i, known := at[m.Name]
		if !known {
			i = len(at)
			at[m.Name] = i
		}
		d.Members[i] = jsondoc.Member{Name: m.Name, Value: lastWins(m.Value)}
	}
	d.Members = d.Members[:len(at)]
	for _, item := range d.Items {
		lastWins(item)
	}
	return d
}
