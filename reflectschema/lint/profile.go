package lint

import (
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// A Profile is a kind of client with its known rules: which schemas it rejects, and what it removes from a schema. The rules
// change as clients do; each has its source and the day on which the source was read. The zero value is not a profile and
// has no rules.
type Profile uint8

const (
	// ProfileClaude is the API of Anthropic, which accepts input schemas unchanged, and Claude Code, which uses that API.
	ProfileClaude Profile = iota + 1
	// ProfileOpenAI is function calling without strict mode.
	ProfileOpenAI
	// ProfileOpenAIStrict is function calling in strict mode, also called structured outputs. Clients that use it often rewrite
	// schemas first, or do not use it for schemas that they cannot rewrite.
	ProfileOpenAIStrict
	// ProfileGemini is function calling with the member parameters, an OpenAPI schema, into which clients translate JSON
	// Schema. It is not the member parametersJsonSchema, which accepts far more and is used by Google's own SDKs and
	// Gemini CLI.
	ProfileGemini
	// ProfileCopilot is GitHub Copilot in VS Code, and Copilot CLI.
	ProfileCopilot
	// ProfileTypeScript2025 is a client made with version 1 of the TypeScript SDK, which supports protocol revisions up to
	// 2025-11-25. Check the schemas that a server lists in these revisions, which differ from [reflectschema.Schema.JSON].
	ProfileTypeScript2025
	// ProfileGoogleADK is an agent made with Google's Agent Development Kit, which converts schemas for the API of
	// [ProfileGemini] and removes keywords that the API rejects.
	ProfileGoogleADK
	// ProfileAnyClient has rules for mistakes that no client reports: keywords that JSON Schema ignores, because they are
	// misspelt, belong to another dialect or do not apply to the type beside them; bounds that no value meets; defaults,
	// examples and listed values that do not fit their own schema. Package mcptool rejects schemas written by hand
	// that have a finding above [SeverityAdvice].
	ProfileAnyClient
)

// profile is the data of a Profile.
type profile struct {
	name  string
	title string
	// strips are keywords that clients remove before they send the schema, so their contents are not checked. A rule of
	// the profile reports each of them.
	strips []string
	rules  []rule
}

// profiles maps each Profile to its data.
var profiles = [...]profile{
	ProfileClaude:         {name: "claude", title: "Claude API and Claude Code", rules: claudeRules},
	ProfileOpenAI:         {name: "openai", title: "OpenAI function calling", rules: openAIRules},
	ProfileOpenAIStrict:   {name: "openai-strict", title: "OpenAI function calling, strict", rules: slices.Concat(openAIRules, openAIStrictRules)},
	ProfileGemini:         {name: "gemini", title: "Gemini function calling", strips: geminiStrips, rules: geminiRules},
	ProfileCopilot:        {name: "copilot", title: "GitHub Copilot in VS Code, Copilot CLI", rules: copilotRules},
	ProfileTypeScript2025: {name: "typescript-2025", title: "MCP TypeScript SDK v1, protocol revisions of 2025", rules: typeScript2025Rules},
	ProfileGoogleADK:      {name: "google-adk", title: "Google Agent Development Kit", rules: googleADKRules},
	ProfileAnyClient:      {name: "any-client", title: "every client", rules: anyClientRules},
}

// data returns the entry of the table, or the zero profile for a value that is not a profile.
func (p Profile) data() profile {
	if int(p) >= len(profiles) {
		return profile{}
	}
	return profiles[p]
}

// Profiles returns all profiles, in the order of their constants.
func Profiles() []Profile {
	return []Profile{ProfileClaude, ProfileOpenAI, ProfileOpenAIStrict, ProfileGemini, ProfileCopilot, ProfileTypeScript2025, ProfileGoogleADK, ProfileAnyClient}
}

// ProfileNamed returns the profile with this [Profile.String], and whether there is one.
func ProfileNamed(name string) (Profile, bool) {
	for _, p := range Profiles() {
		if p.String() == name {
			return p, true
		}
	}
	return 0, false
}

// String returns the short name of the profile: claude, openai, openai-strict, gemini, copilot, typescript-2025,
// google-adk or any-client; "" for any other value.
func (p Profile) String() string { return p.data().name }

// Title returns the names of the clients, for display; "" for a value that is not a profile.
func (p Profile) Title() string { return p.data().title }

// Rules returns a copy of the rules of the profile, in the order in which they are applied.
func (p Profile) Rules() []Rule {
	rules := p.data().rules
	list := make([]Rule, len(rules))
	for i, r := range rules {
		list[i] = r.Rule
	}
	return list
}

// A Rule is known behaviour of a kind of client for certain schemas.
type Rule struct {
	Name     string // unique within a profile: array-without-items
	Severity Severity
	Why      string // the behaviour of the client
	Fix      string // what to write instead
	Source   string // URL of the evidence, by the vendor or in a public issue
	Seen     string // day on which the source was read: 2026-11-20
	schemas  schemas
}

// AppliesTo reports whether the rule applies to schemas of this direction; [reflectschema.DirectionStored] counts as an input. Most
// rules of model APIs apply only to inputs, because these APIs do not receive output schemas.
func (r Rule) AppliesTo(d reflectschema.Direction) bool {
	return r.schemas == bothSchemas || (r.schemas == outputSchemas) == (d == reflectschema.DirectionOutput)
}

// schemas is the kind of schemas that a rule applies to.
type schemas uint8

const (
	inputSchemas schemas = iota
	outputSchemas
	bothSchemas
)

// A rule is a Rule with the check that finds violations of it.
type rule struct {
	Rule
	when phase
	find check
}

// A check reports violations of the current rule at one location of the document.
type check func(l *linter, s *vet.Subschema)

// phase is the part of the walk in which a check is called.
type phase uint8

const (
	onSchema phase = iota // for each schema of the document
	onBroken              // for each value that should be a schema and is not
	atEnd                 // once, with the root, after the walk
)
