package measured

import (
	"fmt"
	"strings"
)

// The types are the arguments and the result of a small tool, and something large
// that goes either way. Their tags are this module's; another library reads the schema that
// is made of them.
type (
	// In is 58 bytes of JSON.
	In struct {
		Location string `json:"location" jsonschema:"minLength=1,maxLength=200"`
		Units    string `json:"units,omitempty" jsonschema:"enum=celsius,enum=fahrenheit"`
		Days     int    `json:"days" jsonschema:"minimum=1,maximum=14"`
	}
	// Out is about 210 bytes of JSON.
	Out struct {
		Location   string  `json:"location"`
		Conditions string  `json:"conditions" jsonschema:"enum=sunny,enum=cloudy,enum=rain"`
		Days       []Day   `json:"days" jsonschema:"maxItems=14"`
		Humidity   float64 `json:"humidity" jsonschema:"minimum=0,maximum=1"`
		Stale      bool    `json:"stale"`
	}
	// Day is one day of an Out.
	Day struct {
		Day  string  `json:"day"`
		High float64 `json:"high" jsonschema:"minimum=-90,maximum=90"`
		Low  float64 `json:"low" jsonschema:"minimum=-90,maximum=90"`
	}
	// Big is about 5.9 KB of JSON: 42 fields, some nested, and four slices of 20.
	Big struct {
		S1, S2, S3, S4, S5, S6, S7, S8, S9, S10 string  `jsonschema:"maxLength=100"`
		I1, I2, I3, I4, I5, I6, I7, I8, I9, I10 int     `jsonschema:"minimum=0,maximum=1000000"`
		F1, F2, F3, F4, F5, F6, F7, F8          float64 `jsonschema:"minimum=-1000"`
		B1, B2, B3, B4, B5, B6                  bool
		Kind                                    string    `json:"kind" jsonschema:"enum=alpha,enum=beta,enum=gamma"`
		Inner                                   Inner     `json:"inner"`
		Tags                                    []string  `json:"tags" jsonschema:"maxItems=100"`
		Scores                                  []float64 `json:"scores"`
		Counts                                  []int64   `json:"counts" jsonschema:"minimum=0"`
		Rows                                    []Row     `json:"rows" jsonschema:"minItems=1"`
		Note                                    *string   `json:"note,omitempty"`
		Owner                                   string    `json:"owner" jsonschema:"pattern=^[a-z]+$"`
	}
	// Inner is nested in a Big.
	Inner struct {
		Name  string `json:"name" jsonschema:"minLength=1"`
		Point struct {
			X, Y, Z float64
		} `json:"point"`
	}
	// Row is one of the rows of a Big.
	Row struct {
		ID       int      `json:"id" jsonschema:"minimum=1"`
		Title    string   `json:"title" jsonschema:"maxLength=80"`
		Price    float64  `json:"price" jsonschema:"minimum=0"`
		Active   bool     `json:"active"`
		Category string   `json:"category" jsonschema:"enum=book,enum=film,enum=song"`
		Labels   []string `json:"labels"`
		Comment  string   `json:"comment"`
		Size     struct {
			W, H int
		} `json:"size"`
	}
)

// NewIn returns an In.
func NewIn() *In { return &In{Location: "Lisbon, Portugal", Units: "celsius", Days: 5} }

// NewOut returns an Out.
func NewOut() *Out {
	out := &Out{Location: "Lisbon, Portugal", Conditions: "sunny", Humidity: 0.63}
	for i, day := range []string{"2026-11-20", "2026-11-21", "2026-11-22"} {
		out.Days = append(out.Days, Day{day, 21.5 + float64(i), 12.25 - float64(i)})
	}
	return out
}

// NewBig returns a Big.
func NewBig() *Big {
	big := &Big{Kind: "beta", Owner: "somebody", Inner: Inner{Name: "inner"}}
	for i, s := range []*string{&big.S1, &big.S2, &big.S3, &big.S4, &big.S5, &big.S6, &big.S7, &big.S8, &big.S9, &big.S10} {
		*s = fmt.Sprintf("some text of field %d, with \"quotes\"", i)
	}
	for i, n := range []*int{&big.I1, &big.I2, &big.I3, &big.I4, &big.I5, &big.I6, &big.I7, &big.I8, &big.I9, &big.I10} {
		*n = i * 997
	}
	for i, f := range []*float64{&big.F1, &big.F2, &big.F3, &big.F4, &big.F5, &big.F6, &big.F7, &big.F8} {
		*f = float64(i)*3.25 + 0.125
	}
	for i := range 20 {
		big.Tags = append(big.Tags, fmt.Sprintf("tag-%d", i))
		big.Scores = append(big.Scores, float64(i)/8)
		big.Counts = append(big.Counts, int64(i)*123456)
		row := Row{ID: i + 1, Title: fmt.Sprintf("The title of row number %d", i), Price: 9.99 + float64(i), Category: "film", Labels: []string{"new", "blue"}}
		row.Comment = strings.Repeat("x", 40)
		row.Size.W, row.Size.H = i, 2*i
		big.Rows = append(big.Rows, row)
	}
	return big
}
