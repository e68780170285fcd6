package main

import (
	"errors"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// TestDrop checks that only a yes drops the table.
func TestDrop(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		answer any
		err    error
	}{
		{"yes", true, nil},
		{"no", false, mcptool.ErrDeclined},
		{"decline", mcptooltest.RefusalDecline, mcptool.ErrDeclined},
		{"dismiss", mcptooltest.RefusalDismiss, mcptool.ErrDismissed},
	} {
		for _, replay := range []bool{false, true} {
			db := &Database{tables: map[string]bool{"orders": true}}
			tool, err := mcptool.New(db.Drop)
			if err != nil {
				t.Fatal(err)
			}
			user := &mcptooltest.Client{Replay: replay, Answers: []any{test.answer}}
			_, err = user.Call(t.Context(), tool, []byte(`{"table":"orders"}`))
			if !errors.Is(err, test.err) || db.tables["orders"] != (test.err != nil) {
				t.Errorf("%s: %v, tables %v", test.name, err, db.tables)
			}
			if asked := user.Asked(); len(asked) != 1 || asked[0].Message != "Drop the table orders?" {
				t.Errorf("%s: asked %v", test.name, asked)
			}
		}
	}
}
