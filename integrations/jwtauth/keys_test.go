package jwtauth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const keysPath = "/keys"

// uncached verifies each token anew.
func uncached(o *jwtauth.Options) { o.CacheFor = jwtauth.NoCache }

// verify fails the test unless the token is valid.
func verify(t *testing.T, v *jwtauth.Verifier, text string) {
	t.Helper()
	if _, err := v.Verify(t.Context(), text); err != nil {
		t.Error(err)
	}
}

// refuse fails the test unless the token is invalid.
func refuse(t *testing.T, v *jwtauth.Verifier, text string) {
	t.Helper()
	if _, err := v.Verify(t.Context(), text); !invalid(err) {
		t.Errorf("%v, want an invalid token", err)
	}
}

// postpone fails the test unless the token cannot be verified before this time has passed.
func postpone(t *testing.T, v *jwtauth.Verifier, text string, wait time.Duration) {
	t.Helper()
	if _, err := v.Verify(t.Context(), text); unavailable(err) != wait {
		t.Errorf("%v, to be retried after %v; want %v", err, unavailable(err), wait)
	}
}

// requested fails the test unless the keys have been requested n times.
func (a *authority) requested(t *testing.T, n int) {
	t.Helper()
	synctest.Wait()
	if got := a.asked(keysPath); got != n {
		t.Errorf("the keys were requested %d times, want %d", got, n)
	}
}

// TestLazy: AUTH-08, nothing is fetched before the first token, and concurrent requests fetch once.
func TestLazy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		a.requested(t, 0)
		text := a.token(t, nil)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { verify(t, v, text) })
		}
		all.Wait()
		a.requested(t, 1)
	})
}

// TestRotation: AUTH-08, a new key is fetched when a token is signed with it, and the old one is
// accepted for a while although the issuer publishes it no more.
func TestRotation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		old := a.token(t, nil)
		verify(t, v, old)
		time.Sleep(6 * time.Second)
		a.rotate("k2", rsaKeys[1], jose.RS256)
		verify(t, v, a.token(t, nil))
		a.requested(t, 2)
		verify(t, v, old)
		time.Sleep(20*time.Minute - 7*time.Second)
		verify(t, v, old)
		time.Sleep(time.Second)
		postpone(t, v, old, 4*time.Second) // the keys were refreshed a second ago
		time.Sleep(4 * time.Second)
		refuse(t, v, old)
		verify(t, v, a.token(t, nil))
	})
}

// TestRotationAfterUnknown: a fetch for a made-up key just before a rotation does not make tokens
// of the new key invalid.
func TestRotationAfterUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		verify(t, v, a.token(t, nil))
		time.Sleep(time.Minute)
		refuse(t, v, sign(t, signingKey{id: "made-up", private: rsaKeys[2], alg: jose.RS256}, "at+jwt", claims(nil)))
		a.rotate("k2", rsaKeys[1], jose.RS256)
		time.Sleep(time.Second)
		postpone(t, v, a.token(t, nil), 4*time.Second)
		a.requested(t, 2)
		time.Sleep(4 * time.Second)
		verify(t, v, a.token(t, nil))
		a.requested(t, 3)
	})
}

// TestRotationDuringFetch: nor does a fetch that runs during the rotation. If it gets the new key,
// the tokens are valid at once.
func TestRotationDuringFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		verify(t, v, a.token(t, nil))
		time.Sleep(time.Minute)
		published, _ := a.KeySet(t.Context())
		old := keySet(t, jose.JSONWebKey{Key: published[0].Key(), KeyID: "k1"})
		a.fail(func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answers(keysPath, http.StatusOK, old)(r)
		})
		go v.Verify(t.Context(), sign(t, signingKey{id: "made-up", private: rsaKeys[2], alg: jose.RS256}, "at+jwt", claims(nil)))
		time.Sleep(time.Second)
		a.rotate("k2", rsaKeys[1], jose.RS256)
		postpone(t, v, a.token(t, nil), 5*time.Second)
		a.fail(func(*http.Request) (*http.Response, error) { time.Sleep(time.Second); return nil, nil })
		time.Sleep(5 * time.Second)
		go v.Verify(t.Context(), a.token(t, nil))
		time.Sleep(time.Second)
		verify(t, v, a.token(t, nil))
		a.requested(t, 3)
	})
}

// TestWithdrawn: AUTH-08, when the issuer publishes no keys any more, the former ones are accepted
// for the usual time.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		log, option := logged()
		v := a.verifier(t, func(o *jwtauth.Options) { uncached(o); option(o) })
		text := a.token(t, map[string]any{"exp": 100 * time.Hour})
		verify(t, v, text)
		a.fail(answers(keysPath, http.StatusOK, `{"keys":[]}`))
		for range 19 {
			time.Sleep(time.Minute)
			verify(t, v, text)
		}
		time.Sleep(time.Minute)
		refuse(t, v, text)
		if text := log.String(); !strings.Contains(text, "no usable key") || !strings.Contains(text, "published=0") {
			t.Errorf("the log has %s", text)
		}
		a.fail(nil)
		time.Sleep(10 * time.Minute)
		verify(t, v, text)
	})
}

// TestRotationOverlapping: the usual rotation, in which keys are published before and after they
// sign, fetches nothing but the refreshes.
func TestRotationOverlapping(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		verify(t, v, a.token(t, nil))
		next := signingKey{id: "k2", private: rsaKeys[1], alg: jose.RS256, public: true}
		former := a.rotate("k1", rsaKeys[0], jose.RS256, next)
		time.Sleep(10 * time.Minute)
		verify(t, v, a.token(t, nil))
		a.requested(t, 2)
		a.rotate("k2", rsaKeys[1], jose.RS256, former)
		verify(t, v, a.token(t, nil))
		a.requested(t, 2)
	})
}

// TestReusedID: a key that gets the ID of its predecessor is used after the next refresh, and both
// are accepted.
func TestReusedID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		old := a.token(t, nil)
		verify(t, v, old)
		a.rotate("k1", rsaKeys[1], jose.RS256)
		refuse(t, v, a.token(t, nil))
		time.Sleep(10 * time.Minute)
		verify(t, v, old)
		synctest.Wait()
		verify(t, v, a.token(t, nil))
		verify(t, v, old)
	})
}

// TestUnknownKeys: AUTH-08, made-up key IDs cause one request in five seconds, also without key
// IDs. Between the requests it is not known whether the issuer has the key.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		verify(t, v, a.token(t, nil))
		time.Sleep(6 * time.Second)
		forged := sign(t, signingKey{id: "k1", private: rsaKeys[2], alg: jose.RS256}, "at+jwt", claims(nil))
		refuse(t, v, forged)
		a.requested(t, 1) // k1 is known
		made := func(i int) string {
			key := signingKey{id: fmt.Sprint("made-up-", i), private: rsaKeys[2], alg: jose.RS256}
			if i%2 == 0 {
				key.id = ""
			}
			return sign(t, key, "at+jwt", claims(nil))
		}
		refuse(t, v, made(0))
		a.requested(t, 2)
		for i := 1; i <= 30; i++ {
			time.Sleep(time.Second)
			if left := 5 - i%5; left < 5 {
				postpone(t, v, made(i), time.Duration(left)*time.Second)
			} else {
				refuse(t, v, made(i))
			}
		}
		a.requested(t, 8)
		a.fail(down)
		time.Sleep(6 * time.Second)
		postpone(t, v, made(1), 5*time.Second)
		time.Sleep(2 * time.Second)
		postpone(t, v, made(1), 3*time.Second)
		verify(t, v, a.token(t, nil))
	})
}

// TestRefreshed: AUTH-08, old keys are fetched again in the background, and no request waits for
// that.
func TestRefreshed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		text := a.token(t, map[string]any{"exp": 100 * time.Hour})
		verify(t, v, text)
		time.Sleep(10 * time.Minute)
		a.fail(slow)
		start := time.Now()
		verify(t, v, text)
		if time.Since(start) != 0 {
			t.Error("the request has waited")
		}
		a.fail(nil)
		time.Sleep(11 * time.Second)
		verify(t, v, text)
		a.requested(t, 2)
		time.Sleep(9 * time.Minute)
		verify(t, v, text)
		a.requested(t, 2)
	})
}

// TestIdle: a server that was idle does not accept a key that was withdrawn meanwhile: the first
// request waits for the keys.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		old := a.token(t, map[string]any{"exp": 100 * time.Hour})
		verify(t, v, old)
		a.rotate("k2", rsaKeys[1], jose.RS256)
		time.Sleep(5 * time.Hour)
		refuse(t, v, old)
		a.requested(t, 2)
		verify(t, v, a.token(t, nil))
	})
}

// TestOutage: AUTH-08 AUTH-10, keys are used for 24 hours without the issuer, with one warning, and a
// record when the issuer is back.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]func(*http.Request) (*http.Response, error){"down": down, "slow": slow} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				a := newAuthority(t, issuerURL)
				v := a.verifier(t, func(o *jwtauth.Options) {
					o.CacheFor, o.Logger = jwtauth.NoCache, slog.New(slog.NewTextHandler(&log, nil))
				})
				text := a.token(t, map[string]any{"exp": 100 * time.Hour})
				verify(t, v, text)
				a.fail(failure)
				fetched := time.Now()
				waited := time.Duration(0)
				for time.Since(fetched) < 24*time.Hour-10*time.Minute {
					time.Sleep(5 * time.Minute)
					start := time.Now()
					verify(t, v, text)
					waited += time.Since(start)
				}
				if waited > 0 {
					t.Errorf("requests waited %v", waited)
				}
				time.Sleep(15 * time.Minute)
				postpone(t, v, text, 5*time.Second)
				a.fail(nil)
				time.Sleep(5 * time.Second)
				verify(t, v, text)
				lines := strings.Split(strings.TrimSpace(log.String()), "\n")
				if len(lines) != 2 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], "used_until=") || !strings.Contains(lines[1], "level=INFO") {
					t.Errorf("the log has %q", lines)
				}
			})
		})
	}
}

// TestColdStart: AUTH-10, without keys tokens are neither valid nor invalid, and the issuer is
// tried again after five seconds.
func TestColdStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		text := a.token(t, nil)
		a.fail(slow)
		start := time.Now()
		postpone(t, v, text, 5*time.Second)
		if waited := time.Since(start); waited != 5*time.Second {
			t.Errorf("waited %v", waited)
		}
		postpone(t, v, text, 5*time.Second)
		if waited := time.Since(start); waited != 5*time.Second {
			t.Errorf("waited %v", waited)
		}
		a.fail(nil)
		time.Sleep(5 * time.Second)
		verify(t, v, text)
	})
}

// TestDisconnected: a client that disconnects does not end the fetch that others wait for.
func TestDisconnected(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, uncached)
		text := a.token(t, nil)
		a.fail(func(*http.Request) (*http.Response, error) { time.Sleep(time.Second); return nil, nil })
		ctx, cancel := context.WithCancel(t.Context())
		go func() { time.Sleep(time.Second / 2); cancel() }()
		if _, err := v.Verify(ctx, text); !errors.Is(err, context.Canceled) || unavailable(err) < 0 {
			t.Error(err)
		}
		verify(t, v, text)
		a.requested(t, 1)
	})
}

// TestClose checks that Close ends a fetch and the calls that wait for it.
func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		v := a.verifier(t, nil)
		a.fail(slow)
		text := a.token(t, nil)
		start := time.Now()
		go v.Verify(t.Context(), text)
		synctest.Wait()
		v.Close()
		v.Close()
		if _, err := v.Verify(t.Context(), text); unavailable(err) < 0 || !strings.Contains(err.Error(), "closed") {
			t.Error(err)
		}
		if time.Since(start) != 0 {
			t.Error("it has waited")
		}
	})
}

// TestCachedResults: a verified token is verified again after five minutes, and never accepted
// beyond its expiry.
func TestCachedResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAuthority(t, issuerURL)
		calls := 0
		v := a.verifier(t, func(o *jwtauth.Options) {
			o.Map = func(*jwtauth.Claims, *streamhttp.Token) error { calls++; return nil }
		})
		long, short := a.token(t, nil), a.token(t, map[string]any{"exp": time.Minute})
		counted := func(text string, want int) {
			t.Helper()
			verify(t, v, text)
			if calls != want {
				t.Errorf("verified %d times, want %d", calls, want)
			}
		}
		counted(long, 1)
		counted(short, 2)
		time.Sleep(time.Minute + 30*time.Second - time.Millisecond) // with the leeway
		counted(short, 2)
		time.Sleep(2 * time.Millisecond)
		refuse(t, v, short)
		time.Sleep(3*time.Minute + 30*time.Second - 2*time.Millisecond)
		counted(long, 2)
		time.Sleep(time.Millisecond)
		counted(long, 3)
	})
}
