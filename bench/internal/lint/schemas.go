package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/reflectschema"
	schemalint "github.com/mcptool-go/mcptool/reflectschema/lint"
)

// undescribed is a rule of the Claude profile that applies to all models. It is reported once, as a rule of this
// package.
const undescribed = "undescribed-property"

// schemas checks the schemas of a tool. An unparsable schema is reported once, not per profile.
func (c *checker) schemas(t *client.Tool) {
	if isAbsent(t.InputSchema) {
		c.add("no-schema", t.Name, "", "no input schema")
	} else {
		c.readable(t, "arguments", t.InputSchema)
		c.arguments(t, t.InputSchema)
	}
	if !isAbsent(t.OutputSchema) {
		c.readable(t, "result", t.OutputSchema)
	}
	profiles := c.options.Profiles
	if c.twoLists {
		profiles = slices.DeleteFunc(slices.Clone(profiles), isLegacy)
	}
	if !slices.Contains(profiles, schemalint.ProfileAnyClient) {
		profiles = append(slices.Clip(profiles), schemalint.ProfileAnyClient) // its rules apply to every client
	}
	c.profiles(t, profiles)
}

func isAbsent(schema json.RawMessage) bool { return len(schema) == 0 || string(schema) == "null" }

// readable reports an unparsable schema.
func (c *checker) readable(t *client.Tool, root string, document json.RawMessage) {
	if _, err := reflectschema.ParseSchema(document); err != nil {
		c.add("bad-schema", t.Name, root, short(strings.TrimPrefix(firstLine(err), "schema: ")))
	}
}

// isLegacy reports whether a profile describes clients of legacy revisions.
func isLegacy(p schemalint.Profile) bool { return p == schemalint.ProfileTypeScript2025 }

// legacyProfiles returns the selected profiles for legacy clients.
func (c *checker) legacyProfiles() []schemalint.Profile {
	return slices.DeleteFunc(slices.Clone(c.options.Profiles), func(p schemalint.Profile) bool { return !isLegacy(p) })
}

// profiles applies the rules of profiles to the schemas of a tool.
func (c *checker) profiles(t *client.Tool, profiles []schemalint.Profile) {
	if !isAbsent(t.InputSchema) {
		c.schema(t, "arguments", t.InputSchema, reflectschema.DirectionInput, profiles)
	}
	if !isAbsent(t.OutputSchema) {
		c.schema(t, "result", t.OutputSchema, reflectschema.DirectionOutput, profiles)
	}
}

// schema applies the rules of profiles to a schema.
func (c *checker) schema(t *client.Tool, root string, document json.RawMessage, d reflectschema.Direction, profiles []schemalint.Profile) {
	for _, p := range profiles {
		findings, err := schemalint.Document(document, d, p)
		if err != nil {
			break // not an object; reported as bad-schema
		}
		for _, f := range findings {
			if f.Rule.Name != undescribed {
				c.report.Findings = append(c.report.Findings, foreign(t.Name, root, f))
			}
		}
	}
}

// foreign converts a finding of a profile.
func foreign(tool, root string, f schemalint.Finding) Finding {
	level := Advice
	switch f.Rule.Severity {
	case schemalint.SeverityRefused:
		level = Error
	case schemalint.SeverityIgnored:
		level = Warning
	default:
	}
	return Finding{
		Level: level, Rule: f.Profile.String() + "/" + f.Rule.Name, Tool: tool, Path: within(root, f.Path), Found: f.Found,
		Why: f.Rule.Why, Fix: f.Rule.Fix, Source: f.Rule.Source, More: f.More,
	}
}

// within returns a path below a root.
func within(root, path string) string {
	if path != "" && path[0] != '[' {
		root += "."
	}
	return root + path
}

// arguments checks the descriptions of arguments.
func (c *checker) arguments(t *client.Tool, document json.RawMessage) {
	findings, err := schemalint.Document(document, reflectschema.DirectionInput, schemalint.ProfileClaude)
	if err != nil {
		return
	}
	for _, f := range findings {
		if f.Rule.Name == undescribed {
			c.add("undescribed-argument", t.Name, within("arguments", f.Path), "no description")
			c.report.Findings[len(c.report.Findings)-1].More = f.More
		}
	}
	var root struct {
		Properties map[string]struct{ Description string }
	}
	if json.Unmarshal(document, &root) != nil {
		return
	}
	var names []string
	for name, property := range root.Properties {
		if utf8.RuneCountInString(property.Description) > maxArgument {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		size := utf8.RuneCountInString(root.Properties[name].Description)
		c.add("long-argument", t.Name, within("arguments", name), fmt.Sprintf("the description has %d characters", size))
	}
}
