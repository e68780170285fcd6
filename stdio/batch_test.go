package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// TestLargeBatch checks that MaxResultBytes limits the whole answer to a batch: results beyond the limit are replaced by
// errors, except short ones.
func TestLargeBatch(t *testing.T) {
	t.Parallel()
	const size, most, calls = 300_000, 1_000_000, 16
	large, err := mcptool.New(func(context.Context, struct{}) (mcptool.Text, error) {
		return mcptool.Text{Text: strings.Repeat("x", size)}, nil
	}, mcptool.Name("large"))
	if err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Tools: newRegistry(t), Limits: runtime.Limits{MaxResultBytes: most}}
	if err := srv.Tools.Add(large); err != nil {
		t.Fatal(err)
	}
	var batch []string
	for id := range calls {
		batch = append(batch, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"large"}}`, id))
	}
	batch = append(batch, `{"jsonrpc":"2.0","id":"short","method":"ping"}`)
	in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n[" + strings.Join(batch, ",") + "]\n"
	var out bytes.Buffer
	if err := stdio.Serve(t.Context(), srv, stdio.In(strings.NewReader(in)), stdio.Out(&out)); err != nil {
		t.Fatal(err)
	}
	_, array, _ := strings.Cut(out.String(), "\n")
	var answers []struct {
		ID     any
		Result json.RawMessage
		Error  struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal([]byte(array), &answers); err != nil {
		t.Fatalf("%v in %.300s", err, array)
	}
	results, refused, seen := 0, 0, map[any]bool{}
	for _, a := range answers {
		seen[a.ID] = true
		switch {
		case a.ID == "short" && string(a.Result) == "{}":
		case a.Result != nil:
			results++
		case a.Error.Code == -32603 && a.Error.Message == "the answer cannot be sent: the answers to this batch have more than 976.6 KiB together; send fewer calls in a batch":
			refused++
		default:
			t.Errorf("answer %v: unexpected error %d %s", a.ID, a.Error.Code, a.Error.Message)
		}
	}
	if results != 4 || refused != calls-4 || len(seen) != calls+1 { // the fourth result is the first to exceed the limit
		t.Errorf("got %d results, %d errors and %d ids, want 4, %d and %d", results, refused, len(seen), calls-4, calls+1)
	}
}
