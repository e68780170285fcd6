// Package geo is in another module than the package that uses its types.
package geo

// Point is a point on the earth. Its zero value is a place in the Gulf of Guinea, and the caller must not modify a Point
// that another goroutine reads.
//
// +k8s:openapi-gen=true
type Point struct {
	// Lat is the latitude in degrees,
	// north of the equator. See ISO 6709.
	//
	// +optional
	// +kubebuilder:validation:Maximum=90
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"` // degrees east of Greenwich

	cell int // not in the JSON
}

// Page is one page of a list.
type Page[T any] struct {
	// Items of this page.
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty" doc:"From the tag"` // not needed
}

// Kind is the size of a place.
type Kind string

const (
	Town, Hamlet Kind = "town", "hamlet" // fewer than 100,000 people
	// City has
	// more.
	City    Kind = "city"
	Default      = Town
	unknown Kind = ""
)

// Disc is a member of a union of another package.
type Disc struct {
	Radius float64 `json:"radius"` // in degrees
}

func (d Disc) Size() float64 { return d.Radius * d.Radius }

// Grid writes its own JSON.
type Grid struct {
	Cell int // not in the JSON
}

func (Grid) MarshalJSON() ([]byte, error) { return []byte(`"grid"`), nil }
func (*Grid) UnmarshalJSON([]byte) error  { return nil }
