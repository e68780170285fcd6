package jetstream

import (
	"testing"

	"github.com/mcptool-go/mcptool/task"
)

// TestHashOwner checks that the records of earlier versions, which have no tenant, are found by the hash of their
// principal, and that owners whose texts are equal when joined have different hashes.
func TestHashOwner(t *testing.T) {
	t.Parallel()
	if got, want := hashOwner(task.Owner{Principal: "ann"}), hash("ann"); got != want {
		t.Errorf("without a tenant: got %s, want %s", got, want)
	}
	owners := map[string]task.Owner{}
	for _, o := range []task.Owner{{}, {Principal: "acmeann"}, {Tenant: "acme", Principal: "ann"}, {Tenant: "ac", Principal: "meann"}, {Tenant: "acmeann"}} {
		text := hashOwner(o)
		if other, taken := owners[text]; taken || !isHash(text) {
			t.Errorf("%+v has the hash %q, as %+v", o, text, other)
		}
		owners[text] = o
	}
}
