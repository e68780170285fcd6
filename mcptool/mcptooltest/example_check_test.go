package mcptooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type TeamIn struct {
	_  struct{} `mcp:"name=get_team,readOnly,scopes=tickets:read"`
	ID int      `json:"id" jsonschema:"minimum=1"`
}

type TeamOut struct {
	Team int `json:"team"`
}

func GetTeam(ctx context.Context, _ TeamIn) (TeamOut, error) {
	var claims TeamOut
	if err := json.Unmarshal(mcptool.Caller(ctx).Claims, &claims); err != nil {
		return TeamOut{}, errors.New("the token has no team")
	}
	return claims, nil
}

// A test of tools that need claims calls them as a client that has them.
func ExampleClient_Check() {
	_ = func(t *testing.T) { //nolint:thelper // it is the test TestTickets
		testTickets(t)
	}
}

func testTickets(t *testing.T) {
	t.Helper()
	tool, err := mcptool.New(GetTeam)
	if err != nil {
		t.Fatal(err)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	ada := &mcptooltest.Client{Principal: "ada", Scopes: []string{"tickets:read"}, Claims: []byte(`{"team":7}`)}
	ada.Check(t, registry)
}

// TestTickets runs the example.
func TestTickets(t *testing.T) {
	t.Parallel()
	testTickets(t)
}
