package oauthproxy_test

import (
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
)

// stores are the stores that the tests run against.
var stores = map[string]func(*testing.T, int) oauthproxy.Store{
	"Memory": func(_ *testing.T, limit int) oauthproxy.Store { return oauthproxy.NewMemory(limit) },
	"File": func(t *testing.T, limit int) oauthproxy.Store {
		t.Helper()
		return opened(t, filepath.Join(t.TempDir(), "grants.db"), limit)
	},
}

func opened(t *testing.T, path string, limit int) *oauthproxy.Grants {
	t.Helper()
	store, err := oauthproxy.OpenFile(path, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

func grant(owner, id string, lives time.Duration) oauthproxy.Grant {
	return oauthproxy.Grant{Owner: owner, ID: id, Version: 1, Data: []byte(`{"x":1}`), Expires: time.Now().Add(lives).UTC()}
}

// TestStores: the rules of the interface.
func TestStores(t *testing.T) {
	t.Parallel()
	for name, newStore := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, store := t.Context(), newStore(t, 0)
			g := grant("ann", "1", time.Hour)
			is := func(err, want error) {
				t.Helper()
				if !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
			}
			_, err := store.Get(ctx, "ann", "1")
			is(err, oauthproxy.ErrNotFound)
			is(store.Update(ctx, g), oauthproxy.ErrNotFound)
			is(store.Create(ctx, g), nil)
			is(store.Create(ctx, g), oauthproxy.ErrExists)
			is(store.Create(ctx, grant("bob", "1", time.Hour)), oauthproxy.ErrExists) // one login, of one user
			is(store.Create(ctx, grant("bob", "2", time.Hour)), nil)
			got, err := store.Get(ctx, "ann", "1")
			if err != nil || got.Owner != g.Owner || got.ID != g.ID || got.Version != 1 || string(got.Data) != string(g.Data) || !got.Expires.Equal(g.Expires) {
				t.Errorf("got %+v, %v", got, err)
			}
			g.Data = []byte("{}")
			is(store.Update(ctx, g), nil)
			is(store.Update(ctx, g), oauthproxy.ErrNotFound)
			if got, err = store.Get(ctx, "ann", "1"); err != nil || got.Version != 2 || string(got.Data) != "{}" {
				t.Errorf("got %+v, %v", got, err)
			}
			got.Expires = time.Now().Add(-time.Second)
			is(store.Update(ctx, got), nil)
			_, err = store.Get(ctx, "ann", "1")
			is(err, oauthproxy.ErrNotFound)
			got.Version, got.Expires = 3, time.Now().Add(time.Hour)
			is(store.Update(ctx, got), oauthproxy.ErrNotFound)
			is(store.Create(ctx, g), nil)

			var wait sync.WaitGroup
			won := make(chan int, 20)
			for i := range 20 {
				wait.Go(func() {
					if store.Update(ctx, grant("bob", "2", time.Hour)) == nil {
						won <- i
					}
				})
			}
			wait.Wait()
			if len(won) != 1 {
				t.Errorf("%d updates of one version succeeded", len(won))
			}
		})
	}
}

// TestStoreLimits: a user cannot fill the store, and replaces only own grants.
func TestStoreLimits(t *testing.T) {
	t.Parallel()
	const most, more = 50, 10 // grants of a user, and further ones
	for name, newStore := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, store := t.Context(), newStore(t, most+2)
			create := func(owner string, id int, lives time.Duration, want error) {
				t.Helper()
				if err := store.Create(ctx, grant(owner, owner+strconv.Itoa(id), lives)); !errors.Is(err, want) {
					t.Errorf("got %v, want %v", err, want)
				}
			}
			create("ann", 0, time.Minute, nil)
			for i := range most + more {
				create("bob", i, time.Hour+time.Duration(i)*time.Minute, nil)
			}
			for i := range most + more {
				if _, err := store.Get(ctx, "bob", "bob"+strconv.Itoa(i)); (err == nil) != (i >= more) {
					t.Errorf("grant %d of bob: %v", i, err)
				}
			}
			create("eve", 0, time.Hour, nil)
			create("eve", 1, time.Hour, oauthproxy.ErrFull)
			create("bob", most+more, time.Hour, nil) // replaces
			if _, err := store.Get(ctx, "ann", "ann0"); err != nil {
				t.Errorf("ann: %v", err)
			}
			if err := errors.Join(store.Delete(ctx, "ann", "ann0"), store.Delete(ctx, "ann", "ann0")); err != nil {
				t.Error(err)
			}
			create("eve", 1, time.Hour, nil)
		})
	}
}

// TestMemoryExpiry: expired grants make room.
func TestMemoryExpiry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := oauthproxy.NewMemory(2)
		for _, owner := range []string{"ann", "bob"} {
			if err := store.Create(t.Context(), grant(owner, owner, time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Create(t.Context(), grant("eve", "0", time.Hour)); !errors.Is(err, oauthproxy.ErrFull) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Hour)
		if err := store.Create(t.Context(), grant("eve", "0", time.Hour)); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

// TestFile: grants survive the process, except expired ones, and only one process has the file.
func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grants.db")
	ctx, limit := t.Context(), 2
	store := opened(t, path, limit)
	old := grant("old", "1", time.Hour)
	if err := errors.Join(store.Create(ctx, grant("ann", "0", time.Hour)), store.Create(ctx, old)); err != nil {
		t.Fatal(err)
	}
	old.Expires = time.Now()
	if err := store.Update(ctx, old); err != nil {
		t.Fatal(err)
	}
	want := "oauthproxy: open " + path + ": the file is in use by another process (waited 1s)"
	if _, err := oauthproxy.OpenFile(path, limit); err == nil || err.Error() != want {
		t.Errorf("opened twice: got %v, want %s", err, want)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Create(ctx, grant("x", "0", time.Hour)); err == nil || errors.Is(err, oauthproxy.ErrFull) {
		t.Errorf("after Close: %v", err)
	}
	store = opened(t, path, limit)
	if got, err := store.Get(ctx, "ann", "0"); err != nil || got.Version != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := store.Create(ctx, grant("bob", "2", time.Hour)); err != nil {
		t.Errorf("expired grants make no room: %v", err)
	}
	if _, err := oauthproxy.OpenFile(t.TempDir(), limit); err == nil {
		t.Error("opened a directory")
	}
}

// TestRestart: a client stays logged in over a restart, with the same keys and file.
func TestRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grants.db")
	first := opened(t, path, 0)
	w := quick(t, func(c *oauthproxy.Config) { c.Store = first })
	tokens := w.redeem(w.code(), nil)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	c := config(w)
	c.Store = opened(t, path, 0)
	w.start(c)
	if status, _ := w.whoami(tokens.string("access_token")); status != 200 {
		t.Errorf("got %d", status)
	}
	wantStatus(t, w.refresh(tokens.string("refresh_token"), nil), 200, "")
}

// TestNegativeStoreLimit checks that a negative number of grants is an error of OpenFile and a panic of NewMemory.
func TestNegativeStoreLimit(t *testing.T) {
	t.Parallel()
	const want = "oauthproxy: limit is -1, but must not be negative; 0 means the default, 10000"
	if _, err := oauthproxy.OpenFile(filepath.Join(t.TempDir(), "grants.db"), -1); err == nil || err.Error() != want {
		t.Errorf("OpenFile: got %v, want %s", err, want)
	}
	defer func() {
		if err, _ := recover().(error); err == nil || err.Error() != want {
			t.Errorf("NewMemory: panic: %v, want %s", err, want)
		}
	}()
	oauthproxy.NewMemory(-1)
}
