package oauthproxy

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestAssertionsBounded: one client cannot use up the memory for the ids of assertions, which is free again when they have
// expired.
func TestAssertionsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAssertions()
		fill := func(client string, from int) (err error) {
			for i := range maxOfClient + 1 {
				if err != nil {
					t.Fatalf("after %d ids: %v", i, err)
				}
				err = a.add(client, strconv.Itoa(from+i), time.Now().Add(time.Hour))
			}
			return err
		}
		isBusy := func(err error) bool {
			known, ok := errors.AsType[*oauthError](err)
			return ok && known.Code == "temporarily_unavailable"
		}
		if err := fill("mallory", 0); !isBusy(err) {
			t.Errorf("got %v", err)
		}
		if err := a.add("client", "0", time.Now().Add(time.Hour)); err != nil {
			t.Errorf("another client got %v", err)
		}
		if err := a.add("client", "0", time.Now().Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "used before") {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Hour)
		if err := fill("mallory", maxOfClient); !isBusy(err) {
			t.Errorf("after an hour got %v", err)
		}
		if n := len(a.until); n != maxOfClient {
			t.Errorf("%d ids are stored", n)
		}
	})
}
