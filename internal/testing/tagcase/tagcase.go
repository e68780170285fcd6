// Package tagcase has a small field for each keyword of the jsonschema tag, and its expected properties for tests: all
// tests of schema readers, plans, tools and pages iterate over them. Every keyword needs a field here, and a case.
package tagcase

// Fields has a field for each keyword, in the order of the tag's documentation. Its JSON name is the keyword.
type Fields struct {
	Title             string         `json:"title" jsonschema:"title=Name"`
	Description       string         `json:"description" jsonschema:"description=What it is"`
	Enum              string         `json:"enum" jsonschema:"enum=a,enum=b"`
	EnumTitle         string         `json:"enumTitle" jsonschema:"enum=a,enumTitle=The first"`
	Const             string         `json:"const" jsonschema:"const=a"`
	Default           string         `json:"default" jsonschema:"default=a"`
	Example           string         `json:"example" jsonschema:"example=a"`
	Minimum           int            `json:"minimum" jsonschema:"minimum=3"`
	Maximum           int            `json:"maximum" jsonschema:"maximum=3"`
	ExclusiveMinimum  float64        `json:"exclusiveMinimum" jsonschema:"exclusiveMinimum=3"`
	ExclusiveMaximum  float64        `json:"exclusiveMaximum" jsonschema:"exclusiveMaximum=3"`
	MultipleOf        float64        `json:"multipleOf" jsonschema:"multipleOf=0.5"`
	MinLength         string         `json:"minLength" jsonschema:"minLength=2"`
	MaxLength         string         `json:"maxLength" jsonschema:"maxLength=2"`
	Pattern           string         `json:"pattern" jsonschema:"pattern=^[a-z]+$"`
	Format            string         `json:"format" jsonschema:"format=date"`
	MinItems          []int          `json:"minItems" jsonschema:"minItems=2"`
	MaxItems          []int          `json:"maxItems" jsonschema:"maxItems=2"`
	UniqueItems       []int          `json:"uniqueItems" jsonschema:"uniqueItems"`
	Contains          []int          `json:"contains" jsonschema:"contains=1"`
	MinContains       []int          `json:"minContains" jsonschema:"contains=1,minContains=2"`
	MaxContains       []int          `json:"maxContains" jsonschema:"contains=1,maxContains=2"`
	MinProperties     map[string]int `json:"minProperties" jsonschema:"minProperties=2"`
	MaxProperties     map[string]int `json:"maxProperties" jsonschema:"maxProperties=1"`
	Required          *string        `json:"required,omitempty" jsonschema:"required"`
	Optional          string         `json:"optional" jsonschema:"optional"`
	DependentRequired struct {
		F *string `json:",omitempty" jsonschema:"dependentRequired=G"`
		G *string `json:",omitempty"`
	} `json:"dependentRequired"`
	Nullable             *string `json:"nullable" jsonschema:"nullable"`
	ReadOnly             string  `json:"readOnly" jsonschema:"readOnly"`
	WriteOnly            string  `json:"writeOnly" jsonschema:"writeOnly"`
	Deprecated           string  `json:"deprecated" jsonschema:"deprecated"`
	AdditionalProperties struct {
		_ struct{} `jsonschema:"additionalProperties=true"`
		F string
	} `json:"additionalProperties"`
}

// A Case has the expected properties of a keyword. If a reader does not handle the keyword, that is recorded here or in
// the golden file of its test.
type Case struct {
	Keyword string
	Member  string // member that it writes into the schema, if it has another name; "-" for none

	// Misfit is a value of the field, as JSON, that is valid without the keyword but invalid with it; "" for a keyword
	// that rejects no value, such as title. A case with a Misfit also has Within, Beyond and Refused; a case without
	// one has neither Within nor Beyond.
	Misfit string

	// Within and Beyond are complete alternative tags for the same field. All values that are valid for a tag in Within
	// are also valid for the field's own tag: for minimum=3, these are minimum=4 and exclusiveMinimum=2. Some values
	// that are valid for a tag in Beyond are not: minimum=2, maximum=9. The comparison of schemas must detect both, so
	// include tags with other keywords that it has to combine with this one.
	Within, Beyond []string

	// Refused are complete tags of the same field that Compile rejects: contradictions with other keywords, and invalid
	// values.
	Refused []string

	InputOnly bool   // results must not have it
	Unvaried  string // why all valid samples have the same value of the field; "" if they differ
	Unsampled string // why no sample violates it; "" if one does
	Slow      string // why the type has no plan; "" if it has one
	Uncertain string // why the comparison is uncertain that it narrows the schema; "" if it is certain
	Others    string // which other fields it refers to, so that it needs a struct with more fields; "" for none
	NoFact    string // why a page shows no fact for it; "" if it shows one
}

// Cases has a case for each field, in the same order.
var Cases = []Case{
	{Keyword: "title"},
	{Keyword: "description"},
	{Keyword: "enum", Misfit: `"c"`, Within: []string{"enum=a", "const=b"}, Beyond: []string{"enum=a,enum=c", "minLength=1"}, Refused: []string{"enum=a,enum=a"}},
	{Keyword: "enumTitle", Member: "-", Unvaried: "the tag lists one value"},
	{Keyword: "const", Unvaried: "one value fits", Misfit: `"c"`, Within: []string{"enum=a"}, Beyond: []string{"enum=a,enum=b"}, Refused: []string{"const=a,enum=b"}},
	{Keyword: "default"},
	{Keyword: "example", Member: "examples"},
	{Keyword: "minimum", Misfit: `2`, Within: []string{"minimum=4", "exclusiveMinimum=2", "enum=3,enum=5"}, Beyond: []string{"minimum=2", "exclusiveMinimum=1", "maximum=9"}, Refused: []string{"minimum=3,maximum=2"}},
	{Keyword: "maximum", Misfit: `4`, Within: []string{"maximum=2", "exclusiveMaximum=4"}, Beyond: []string{"maximum=4", "exclusiveMaximum=5"}, Refused: []string{"maximum=3,exclusiveMinimum=3"}},
	{Keyword: "exclusiveMinimum", Misfit: `3`, Within: []string{"minimum=3.5", "exclusiveMinimum=4"}, Beyond: []string{"minimum=3"}, Refused: []string{"exclusiveMinimum=3,maximum=3"}},
	{Keyword: "exclusiveMaximum", Misfit: `3`, Within: []string{"maximum=2.5"}, Beyond: []string{"maximum=3"}, Refused: []string{"exclusiveMaximum=3,minimum=3"}},
	{Keyword: "multipleOf", Misfit: `0.7`, Within: []string{"multipleOf=1.5", "const=2"}, Beyond: []string{"multipleOf=0.25", "const=0.3"}, Refused: []string{"multipleOf=0"}},
	{Keyword: "minLength", Misfit: `"a"`, Within: []string{"minLength=3", "const=ab"}, Beyond: []string{"minLength=1", "const=a"}, Refused: []string{"minLength=2,maxLength=1"}},
	{Keyword: "maxLength", Misfit: `"abc"`, Within: []string{"maxLength=1"}, Beyond: []string{"maxLength=3"}, Refused: []string{"maxLength=-1", "maxLength=2,format=date"}},
	{Keyword: "pattern", Unvaried: "one text is generated that matches", Misfit: `"A"`, Within: []string{"pattern=^[a-z]+$"}, Beyond: []string{"pattern=^[a-z]*$", "const=A"}, Refused: []string{"pattern=("}, Uncertain: "whether a text that one pattern leaves out is left out by what else there is, is not worked out"},
	{Keyword: "format", Unvaried: "there is one example of each format", Misfit: `"2026-13-01"`, Within: []string{"format=date"}, Beyond: []string{"format=time"}, Refused: []string{"format=dat"}},
	{Keyword: "minItems", Misfit: `[1]`, Within: []string{"minItems=3"}, Beyond: []string{"minItems=1"}, Refused: []string{"minItems=2,maxItems=1"}},
	{Keyword: "maxItems", Misfit: `[1,2,3]`, Within: []string{"maxItems=1"}, Beyond: []string{"maxItems=3"}, Refused: []string{"maxItems=2147483648"}},
	{Keyword: "uniqueItems", Misfit: `[1,1]`, Within: []string{"uniqueItems,maxItems=3", "maxItems=1"}, Beyond: []string{"maxItems=2"}, Refused: []string{"uniqueItems=false", "uniqueItems,enum=1,minItems=2"}},
	{
		Keyword: "contains", Misfit: `[2]`, Slow: uncounted,
		Within:  []string{"contains=1,minItems=3", "contains=1,minContains=2", "enum=1,minItems=1"},
		Beyond:  []string{"contains=2", "contains=1,minContains=0,maxContains=1", "minItems=1", "enum=1"},
		Refused: []string{"contains=x", "contains", "contains=1,maxItems=0", "contains=3,maximum=2", "contains=1,contains=2"},
	},
	{
		Keyword: "minContains", Misfit: `[1]`, Slow: uncounted,
		Within:  []string{"contains=1,minContains=3", "enum=1,minItems=2"},
		Beyond:  []string{"contains=1", "contains=2,minContains=2", "enum=1,minItems=1", "minItems=2"},
		Refused: []string{"minContains=2", "contains=1,minContains=-1", "contains=1,minContains=3,maxItems=2"},
	},
	{
		Keyword: "maxContains", Misfit: `[1,1,1]`, Slow: uncounted,
		Within:  []string{"contains=1,maxContains=1", "contains=1,maxItems=2"},
		Beyond:  []string{"contains=1,maxContains=3", "contains=1,minContains=0,maxContains=2", "contains=1,minItems=3"},
		Refused: []string{"maxContains=2", "contains=1,minContains=3,maxContains=2", "contains=1,maxContains=0"},
	},
	{Keyword: "minProperties", Misfit: `{"a":1}`, Within: []string{"minProperties=3"}, Beyond: []string{"minProperties=1"}, Refused: []string{"minProperties=2,maxProperties=1"}},
	{Keyword: "maxProperties", Misfit: `{"a":1,"b":2}`, Within: []string{"maxProperties=0"}, Beyond: []string{"maxProperties=2"}, Refused: []string{"maxProperties=-1"}},
	{Keyword: "required", Member: "-", InputOnly: true},
	{Keyword: "optional", Member: "-"},
	{Keyword: "dependentRequired", Member: "-", Slow: "plans look at one member at a time", Others: "those that it names"},
	{Keyword: "nullable", Member: "-"},
	{Keyword: "readOnly"},
	{Keyword: "writeOnly", InputOnly: true},
	{Keyword: "deprecated"},
	{Keyword: "additionalProperties", Member: "-"},
}

const uncounted = "plans look at each item once and keep no count of those that match"

// Name returns the name of the keyword in the schema; "" if it has no single name there.
func (c Case) Name() string {
	switch c.Member {
	case "":
		return c.Keyword
	case "-":
		return ""
	default:
		return c.Member
	}
}
