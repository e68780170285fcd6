package reflectschema

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

// A countingContext counts the calls of Err, one for a number of units of work.
type countingContext struct {
	context.Context //nolint:containedctx // the type is a context

	asked int
}

func (c *countingContext) Err() error {
	c.asked++
	return nil
}

// budgetText is a type whose registered schema is expensive to check.
type budgetText string

type budgetIn struct {
	A     int          `json:"a"`
	Items []budgetText `json:"items"`
}

func init() {
	RegisterSchema[budgetText](`{"type":"string","pattern":"^(a?b?c?){300}$"}`)
}

// TestBudgetIncludesRegistered: registered schemas, which are checked again to find all violations, use the budget of
// the call.
func TestBudgetIncludesRegistered(t *testing.T) {
	t.Parallel()
	typ, err := Compile(reflect.TypeFor[budgetIn](), DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	const items = 4000
	item := `"` + strings.Repeat("a", 300) + `d"` // it matches until the last byte
	data := []byte(`{"a":"no integer","items":[` + item + strings.Repeat(","+item, items-1) + `]}`)
	ctx := &countingContext{Context: t.Context()}
	_, _, err = internals{}.DecodeArguments(ctx, typ, data, reflect.New(typ.goType).Elem(), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "a: must be an integer") {
		t.Errorf("got %v", err)
	}
	// Checking an item polls the context at least once. The first check of the whole stops at a.
	if least, most := 400, 3000; ctx.asked < least || ctx.asked > most {
		t.Errorf("the context was polled %d times for %d items, want %d to %d", ctx.asked, items, least, most)
	}
}
