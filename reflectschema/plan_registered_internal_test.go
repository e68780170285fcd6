package reflectschema

import "encoding/json"

// The registered types of the corpus.
type (
	corpusState  string
	corpusRank   int8
	corpusSlug   string
	corpusPoint  struct{ n int }
	corpusStated struct {
		State  corpusState            `json:"state,omitempty"`
		Fewer  corpusState            `json:"fewer,omitempty" jsonschema:"enum=a,default=a"`
		Rank   corpusRank             `json:"rank,omitempty"`
		Slug   corpusSlug             `json:"slug,omitempty" jsonschema:"maxLength=3"`
		Point  corpusPoint            `json:"point,omitzero"`
		Maybe  *corpusPoint           `json:"maybe,omitempty" jsonschema:"nullable"`
		Points []corpusPoint          `json:"points,omitempty" jsonschema:"maxItems=3"`
		States map[corpusState]string `json:"states,omitempty"`
		Ranks  map[corpusRank]bool    `json:"ranks,omitempty"`
		Slugs  map[corpusSlug]bool    `json:"slugs,omitempty"`
		Any    any                    `json:"any,omitempty"`
	}
)

func init() {
	RegisterEnum[corpusState]("a", "x", "k0", "é1")
	RegisterEnum[corpusRank](0, 1, 7, -1)
	RegisterSchema[corpusSlug](`{"type":"string","minLength":1,"maxLength":4}`)
	RegisterCodec(`{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"],"additionalProperties":false}`,
		func(p *corpusPoint) ([]byte, error) { return json.Marshal(map[string]int{"n": p.n}) },
		func(data []byte, p *corpusPoint) error {
			var m map[string]float64 // 1.0 is also an integer
			if err := json.Unmarshal(data, &m); err != nil {
				return err
			}
			p.n = int(m["n"])
			return nil
		})
}
