package lint_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// TestProfiles checks that every rule has a valid name, reason, fix, source and date, and that profiles are found by
// name.
func TestProfiles(t *testing.T) {
	t.Parallel()
	if _, ok := lint.ProfileNamed(""); ok {
		t.Error("ProfileNamed of an empty name found a profile")
	}
	if p := lint.Profile(99); p.String() != "" || p.Title() != "" || len(p.Rules()) != 0 {
		t.Errorf("profile 99 is %q", p)
	}
	for _, p := range lint.Profiles() {
		if found, ok := lint.ProfileNamed(p.String()); !ok || found != p || p.Title() == "" {
			t.Errorf("profile %d: named %q, titled %q, found %d", p, p, p.Title(), found)
		}
		var names []string
		for _, r := range p.Rules() {
			if slices.Contains(names, r.Name) || strings.Trim(r.Name, "abcdefghijklmnopqrstuvwxyz-0123456789") != "" {
				t.Errorf("%s: the name of rule %q is a duplicate or not in lower case", p, r.Name)
			}
			names = append(names, r.Name)
			source, err := url.Parse(r.Source)
			if err != nil || source.Scheme != "https" || source.Host == "" {
				t.Errorf("%s, %s: Source = %q", p, r.Name, r.Source)
			}
			if _, err := time.Parse(time.DateOnly, r.Seen); err != nil {
				t.Errorf("%s, %s: seen %v", p, r.Name, err)
			}
			if r.Why == "" || r.Fix == "" || strings.HasSuffix(r.Why, ".") || strings.HasSuffix(r.Fix, ".") || r.Severity.String() == "unknown" {
				t.Errorf("%s, %s: %s: %q; %q", p, r.Name, r.Severity, r.Why, r.Fix)
			}
			if !r.AppliesTo(reflectschema.DirectionInput) && !r.AppliesTo(reflectschema.DirectionOutput) {
				t.Errorf("%s, %s: the rule applies to no direction", p, r.Name)
			}
		}
	}
}
