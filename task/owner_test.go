package task_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/task"
)

// TestRecordOfEarlierVersion checks that a record that was stored before tenants existed can be read, and that the
// JSON of a record without a tenant has not changed.
func TestRecordOfEarlierVersion(t *testing.T) {
	t.Parallel()
	const stored = `{"id":"a","principal":"ann","tool":"export","revision":"2026-07-28","status":"working"`
	var r task.Record
	if err := json.Unmarshal([]byte(stored+`,"created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z","ttl":1,"poll":1,"version":1}`), &r); err != nil {
		t.Fatal(err)
	}
	if want := (task.Owner{Principal: "ann"}); r.Owner != want {
		t.Errorf("got the owner %+v, want %+v", r.Owner, want)
	}
	for tenant, want := range map[string]string{"": stored, "acme": `{"id":"a","tenant":"acme","principal":"ann",`} {
		r.Tenant = tenant
		if text, err := json.Marshal(r); err != nil || !strings.HasPrefix(string(text), want) {
			t.Errorf("with tenant %q: got the JSON %s and error %v, want it to begin with %s", tenant, text, err, want)
		}
	}
}
