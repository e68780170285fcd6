package openapi

import (
	"go/token"
	"strconv"
	"testing"
)

func TestGoNames(t *testing.T) {
	for _, tt := range []struct{ name, goName, snake string }{
		{"pet_id", "PetID", "pet_id"},
		{"petId", "PetID", "pet_id"},
		{"X-Request-ID", "XRequestID", "x_request_id"},
		{"HTTPServer", "HTTPServer", "http_server"},
		{"listAPIs", "ListAPIs", "list_apis"},
		{"IPv4Address", "IPv4Address", "ipv4_address"},
		{"isbn", "ISBN", "isbn"},
		{"OAuth2Token", "OAuth2Token", "oauth2_token"},
		{"USER_NAME", "UserName", "user_name"},
		{"type", "Type", "type"},
		{"+1", "Plus1", "1"},
		{"-1", "Minus1", "1"},
		{"200", "N200", "200"},
		{"<=", "LessEqual", ""},
		{"", "Empty", ""},
		{"\u202e", "U202E", ""},
		{"a\x00b\n}", "AB", "a_b"},
		{"\xff", "UFFFD", ""},
		{"名前", "X名前", ""},
		{"élan", "Élan", "lan"},
	} {
		if got := goName(tt.name); got != tt.goName || !token.IsIdentifier(got) || !token.IsExported(got) {
			t.Errorf("the Go name of %q is %q, not %q", tt.name, got, tt.goName)
		}
		if got := snakeName(tt.name); got != tt.snake {
			t.Errorf("the snake name of %q is %q, not %q", tt.name, got, tt.snake)
		}
	}
}

func FuzzGoName(f *testing.F) {
	f.Add("pet_id")
	f.Add("\u0301́x")
	f.Fuzz(func(t *testing.T, name string) {
		if got := goName(name); !token.IsIdentifier(got) || !token.IsExported(got) {
			t.Errorf("the Go name of %q is %q", name, got)
		}
	})
}

func TestUniqueName(t *testing.T) {
	taken := map[string]bool{"list_pets": true}
	for _, tt := range []struct {
		name  string
		limit int
		want  string
	}{
		{"list_pets", 0, "list_pets_2"},
		{"list_pets", 0, "list_pets_3"},
		{"list_pets_of_owner", 10, "list_pets"}, // taken, so the next one
	} {
		got := uniqueName(taken, tt.name, "_", tt.limit)
		if tt.limit == 0 && got != tt.want || tt.limit > 0 && (len(got) > tt.limit || got == tt.want) {
			t.Errorf("the unique name of %s is %s", tt.name, got)
		}
	}
}

// TestManyEqualNames has names that would take minutes if all numbers were tried.
func TestManyEqualNames(t *testing.T) {
	taken := make(map[string]bool)
	for n := 1; n <= 100_000; n++ {
		want := "get"
		if n > 1 {
			want += strconv.Itoa(n)
		}
		if got := uniqueName(taken, "get", "", 64); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}

func TestReferenceName(t *testing.T) {
	for ref, want := range map[string]string{
		"#/components/schemas/Pet":                  "Pet",
		"#/components/schemas/a~1b%20c":             "ABC",
		"#/components/schemas/Pet/properties/owner": "PetOwner",
		"schemas/pet-owner.yaml":                    "PetOwner",
		"common.yaml#/definitions/error":            "Error",
		"#/paths/~1pets/get/responses/200":          "",
	} {
		if got := referenceName(ref); got != want {
			t.Errorf("the name of %s is %q, not %q", ref, got, want)
		}
	}
}

func TestPlainText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"Markdown and HTML", "The **name**, see [the guide](https://example.com/a \"t\").<br/>At <b>most</b> `30`.", 100, "The name, see the guide. At most 30."},
		{"first sentences", "One. Two and more. Three is too long.", 20, "One. Two and more."},
		{"long sentence", "A sentence without an end that is long", 20, "A sentence without…"},
		{"quote", "Closes it.\n\n> [!NOTE]\n> a > b is possible.", 60, "Closes it. a > b is possible."},
		{"where to read more", "At most 100. For more information, see \"[Pages](https://a.example/b).\" Not a list.", 90, "At most 100. Not a list."},
		{"only where to read more", "For further details see https://a.example/b.html.", 90, ""},
		{"more by another argument", "For more information, set verbose.", 90, "For more information, set verbose."},
		{"lines and controls", "a\r\n\tb\x00\u202ec\u2028d", 20, "a bc d"},
	} {
		if got := plainText(tt.text, tt.limit); got != tt.want {
			t.Errorf("%s: the text is %q, not %q", tt.name, got, tt.want)
		}
	}
}

func TestRepeats(t *testing.T) {
	for _, tt := range []struct {
		description, summary string
		want                 bool
	}{
		{"Lists all labels for an issue. The newest is first.", "List labels for an issue", true},
		{"Deletes a label using the given label name.", "Delete a label", true},
		{"Every pet.", "", true},
		{"Users with push access can lock an issue.", "Lock an issue", false},
		{"Lock an issue.", "Lock an issue for others", false},
		{"Gets a user. It may be a team.", "Get a team", false},
	} {
		if got := repeats(tt.description, tt.summary); got != tt.want {
			t.Errorf("%q repeats %q: %t", tt.description, tt.summary, got)
		}
	}
}
