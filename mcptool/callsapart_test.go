package mcptool_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// kept is a number whose methods retain their receiver.
type kept struct{ n int }

var keptBy struct{ reading, writing []*kept }

func (k *kept) UnmarshalJSON(data []byte) error {
	keptBy.reading = append(keptBy.reading, k)
	return json.Unmarshal(data, &k.n)
}

func (k *kept) MarshalJSON() ([]byte, error) {
	keptBy.writing = append(keptBy.writing, k)
	return json.Marshal(k.n)
}

// TestKeptPointers: a receiver retained by a method of the author's type is not modified by later calls.
func TestKeptPointers(t *testing.T) { //nolint:paralleltest // no other test may call the methods
	type value struct {
		N kept `json:"n"`
	}
	tool := mustNew(t, func(_ context.Context, in value) (value, error) { return in, nil }, mcptool.Name("keep"))
	const calls = 3
	for i := range calls {
		if _, err := tool.Call(t.Context(), []byte(`{"n":`+strconv.Itoa(i)+`}`)); err != nil {
			t.Fatal(err)
		}
	}
	for way, all := range map[string][]*kept{"reading": keptBy.reading, "writing": keptBy.writing} {
		if len(all) != calls {
			t.Fatalf("%s: the method was called %d times, want %d", way, len(all), calls)
		}
		for i, k := range all {
			if k.n != i {
				t.Errorf("%s: the receiver of call %d is now %d", way, i, k.n)
			}
		}
	}
}

// TestCallsApart: concurrent and nested calls do not affect each other's arguments, whatever the shape of In.
func TestCallsApart(t *testing.T) {
	t.Parallel()
	type in struct {
		Name  string            `json:"name" jsonschema:"optional"`
		Deep  int               `json:"deep" jsonschema:"optional"`
		List  []string          `json:"list" jsonschema:"optional"`
		Map   map[string]string `json:"map" jsonschema:"optional"`
		Array [2]int            `json:"array" jsonschema:"optional"`
	}
	var tool *mcptool.Tool
	tool = mustNew(t, func(ctx context.Context, v in) (in, error) {
		if v.Deep > 0 {
			if _, err := tool.Call(ctx, []byte(`{"name":"inner","list":["c"],"map":{"z":"z"},"array":[8,9]}`)); err != nil {
				return in{}, err
			}
		}
		return v, nil
	}, mcptool.Name("echo"))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				for _, args := range []string{
					`{"name":"a","deep":1,"list":["a","b"],"map":{"x":"y"},"array":[1,2]}`,
					`{"name":"","deep":0,"list":[],"map":{},"array":[0,0]}`,
				} {
					res, err := tool.Call(t.Context(), []byte(args))
					if err != nil {
						t.Error(err)
						return
					}
					if got, _ := res.Structured.(json.RawMessage); string(got) != args {
						t.Errorf("%s came back as %s", args, got)
						return
					}
				}
				if res, err := tool.Call(t.Context(), nil); err != nil || string(res.Structured.(json.RawMessage)) != `{"name":"","deep":0,"list":[],"map":{},"array":[0,0]}` {
					t.Errorf("without arguments: %v, %v", res, err)
					return
				}
			}
		})
	}
	group.Wait()
}
