package oauthproxy_test

import (
	"net/http"
	"reflect"
	"testing"
)

// TestConnect goes from discovery to a call, with refresh and revocation.
func TestConnect(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	params := w.browser().connect(authorizeURL(nil))
	if got := keys(params); !reflect.DeepEqual(got, []string{"code", "iss", "state"}) || params.Get("iss") != issuer || params.Get("state") != "client-state" {
		t.Errorf("the client got %v", params)
	}
	first := w.redeem(params.Get("code"), nil)
	if first.status != http.StatusOK || first.string("token_type") != "Bearer" || first.body["expires_in"] != 3600.0 && first.body["expires_in"] != 3599.0 || first.string("scope") != "notes:read" {
		t.Fatalf("got %v", first)
	}
	if status, who := w.whoami(first.string("access_token")); status != http.StatusOK || who != idp+"#id2" {
		t.Errorf("the call got %d, %q", status, who)
	}
	second := w.refresh(first.string("refresh_token"), nil)
	if status, _ := w.whoami(second.string("access_token")); status != http.StatusOK {
		t.Errorf("the call with the refreshed token got %d", status)
	}
	w.post("/revoke", with(map[string]string{"token": second.string("refresh_token"), "client_id": documentURL}, nil))
	for _, token := range []string{first.string("access_token"), second.string("access_token")} {
		if status, _ := w.whoami(token); status != http.StatusUnauthorized {
			t.Errorf("a call with a revoked token got %d", status)
		}
	}
	wantStatus(t, w.refresh(second.string("refresh_token"), nil), http.StatusBadRequest, "invalid_grant")
}
