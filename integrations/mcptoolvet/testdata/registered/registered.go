// Package registered registers types, whose fields in other packages may have any tags.
package registered

import (
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/doccomment"
)

// Mode has registered constants.
type Mode string

const (
	ModeOn  Mode = "on"
	ModeOff Mode = "off"
)

type generatedComments [][2]string

var _ = doccomment.Register(generatedComments{
	{"#Mode", "Has registered constants."},
	{"#Mode=on", ""},
	{"#Mode=off", ""},
})

// Unit has constants, which packages that import this one may register.
type Unit string

const Meter Unit = "m"

type Colour string

type Shape interface{ Area() float64 }

type Square struct{ Side float64 }

func (s Square) Area() float64 { return s.Side * s.Side }

// Unknown is not registered here.
type Unknown interface{ Area() float64 }

type Point struct{ X, Y int }

func (Point) MarshalText() ([]byte, error)     { return []byte("0,0"), nil }
func (*Point) UnmarshalText(text []byte) error { return nil }

func init() {
	reflectschema.RegisterEnum[Colour]("red", "green")
	reflectschema.RegisterUnion("kind", map[string]Shape{"square": Square{}})
	reflectschema.RegisterSchema[Point](`{"type":"string","pattern":"^[0-9]+,[0-9]+$"}`)
}
