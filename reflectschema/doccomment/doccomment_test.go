package doccomment_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/doccomment"
)

type generatedComments [][2]string

// These registrations may precede the comments of their types, as they build no schema.
func init() {
	reflectschema.RegisterUnion("type", map[string]commentedShape{"circle": commentedCircle{}})
	reflectschema.RegisterEnum[commentedLevel]("low", "high")
	reflectschema.RegisterSchema[commentedDegrees](`{"type":"number","minimum":0}`)
}

// In the form written by bench comments.
var _ = doccomment.Register(generatedComments{
	{"#commentedBase", "A base."},
	{"#commentedBase.Lang", "The language."},
	{"#commentedIn", "The arguments."},
	{"#commentedIn.Doc", "Unused."},
	{"#commentedIn.Prose", "Unused."},
	{"#commentedIn.Keyword", "Unused."},
	{"#commentedIn.Field", "The comment of the field."},
	{"#commentedIn.Unit", "The unit."},
	{"#commentedIn.When", "The time."},
	{"#commentedUnit", "A unit."},
	{"#commentedUnit=c", "Degrees Celsius."},
	{"#commentedUnit=k", ""},
	{"#commentedUnit=f", "Degrees Fahrenheit."},
	{"#commentedPoint", "A point."},
	{"#commentedPoint.X", "To the right."},
	{"#commentedPage.Items", "The items."},
	{"#commentedNode", "A node."},
	{"#commentedDegrees", "An angle in degrees."},
	{"#commentedShape", "A shape."},
	{"#commentedCircle", "A circle."},
	{"#commentedBlank", "Unused."},
	{"#commentedLevel", "A level."},
	{"#commentedLevel=low", "Hardly any."},
	{"time#Month", "From another package."},
	{"#commentedTwice", "The first."},
	{"#nonsense", "No such type."},
})

// The file of the other package is initialized later, so its comments of these types are ignored.
var _ = doccomment.Register(foreignComments{{"github.com/mcptool-go/mcptool/reflectschema/doccomment_test#commentedTwice", "The second."}})

type foreignComments generatedComments

type (
	commentedBase    struct{ Lang string }
	commentedUnit    string
	commentedLevel   string
	commentedDegrees float64
	commentedPoint   struct{ X int }
	commentedBlank   struct {
		_ struct{} `doc:"The tag of the type."`
	}
	commentedPage[T any] struct{ Items []T }
	commentedNode        struct {
		Next *commentedNode `json:",omitempty"`
	}
	commentedTwice  struct{}
	commentedShape  interface{ isCommented() }
	commentedCircle struct{ R int }
)

func (commentedCircle) isCommented() {}

type commentedIn struct {
	commentedBase
	Doc     string `doc:"The doc tag."`
	Prose   string `jsonschema:"The prose tag."`
	Keyword string `jsonschema:"description=The keyword."`
	Field   commentedPoint
	Type    commentedPoint
	Blank   commentedBlank
	Unit    commentedUnit    `jsonschema:"enum=const"`
	Units   []*commentedUnit `jsonschema:"enum=const,minItems=1"`
	Some    commentedUnit    `jsonschema:"enum=f"`
	Free    commentedUnit
	Tagged  commentedUnit `jsonschema:"enum=const" doc:"The doc tag."`
	Level   commentedLevel
	Angle   commentedDegrees
	Twice   commentedTwice
	Words   string `jsonschema:"enum=var,enum=const"`
	Node    commentedNode
	Shape   commentedShape
	Points  map[string]commentedPage[commentedPoint]
	None    string
}

func TestComments(t *testing.T) {
	t.Parallel()
	compiled, err := reflectschema.Compile(reflect.TypeFor[commentedIn](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	golden.Open(t, "testdata/comments.golden").Check(t, "every field", strings.ReplaceAll(string(compiled.Schema().JSON()), "},", "},\n"))
}

// TestCommentsInForm: the choices of a form are the values. Their comments are in the description.
func TestCommentsInForm(t *testing.T) {
	t.Parallel()
	type in struct {
		Unit commentedUnit `json:"unit" jsonschema:"enum=const,enumTitle=Celsius,enumTitle=Kelvin,enumTitle=Fahrenheit,default=k"`
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[in](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reflectschema.Internal(private.Key{}).Form(compiled); err != nil {
		t.Fatal(err)
	}
	const want = `"enum":["c","k","f"]`
	if got := string(compiled.Schema().JSON()); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCommentsMistakes(t *testing.T) {
	t.Parallel()
	type silent string
	for _, test := range []struct {
		name, want, reason string
		compile            func() error
	}{
		{
			"no file", "no constants of doccomment_test.silent are registered; declare constants of a string type, run go tool bench comments, and build again",
			"without the generated file there are no constants",
			func() error {
				type in struct {
					F silent `jsonschema:"enum=const"`
				}
				return compileError[in]()
			},
		},
		{
			"string", "`enum=const`: no constants of string are registered; declare constants of a string type,",
			"alone, it is hardly meant as the value const",
			func() error {
				type in struct {
					F string `jsonschema:"enum=const"`
				}
				return compileError[in]()
			},
		},
		{
			"twice", "this value is in the enum already",
			"the value of a constant is listed beside enum=const",
			func() error {
				type in struct {
					F commentedUnit `jsonschema:"enum=const,enum=c"`
				}
				return compileError[in]()
			},
		},
		{
			"titles", "there are 1 titles for 3 values",
			"each constant needs a title, if one has",
			func() error {
				type in struct {
					F commentedUnit `jsonschema:"enum=const,enumTitle=Celsius"`
				}
				return compileError[in]()
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if err := test.compile(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q; %s", err, test.want, test.reason)
			}
		})
	}
}

func compileError[T any]() error {
	_, err := reflectschema.Compile(reflect.TypeFor[T](), reflectschema.DirectionInput)
	return err
}

type commentedLate struct{ F int }

// TestCommentsLate: registering comments after their type was compiled is an error, as its schema would lack them.
func TestCommentsLate(t *testing.T) {
	t.Parallel()
	type in struct{ F commentedLate }
	if err := compileError[in](); err != nil {
		t.Fatal(err)
	}
	defer func() {
		err, _ := recover().(error)
		const want = "doccomment_test.commentedLate: its comments are registered after its first use; use it in a func, such as main or init, " +
			"not in the declaration of a variable in a file that precedes the one with the comments"
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got the panic %v, want %s", err, want)
		}
	}()
	doccomment.Register(generatedComments{{"#commentedLate.F", "Late."}})
}
