package main

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
)

// replacements are values for a location in a mutant.
var replacements = []any{
	nil, "", "text", "2026-01-02T03:04:05Z", json.Number("1"), json.Number("0"), json.Number("-1"), json.Number("1.5"),
	true, false,
	[]any{},
	map[string]any{},
	[]any{nil},
	map[string]any{"unknown": nil},
}

// mutate returns a document that differs in one location: a member is removed or added, or a value is replaced. It returns
// nil if the location of the change has nothing to change.
func mutate(random *rand.Rand, document []byte) []byte {
	tree, err := parse(document)
	if err != nil {
		return nil
	}
	mutant, err := json.Marshal(mutateTree(random, tree))
	if err != nil {
		return nil
	}
	return mutant
}

func mutateTree(random *rand.Rand, tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		if len(v) == 0 || random.IntN(8) == 0 {
			v["unknown"] = replacements[random.IntN(len(replacements))]
			return v
		}
		name := slices.Sorted(maps.Keys(v))[random.IntN(len(v))]
		switch random.IntN(4) {
		case 0:
			delete(v, name)
		case 1:
			v[name] = replacements[random.IntN(len(replacements))]
		default:
			v[name] = mutateTree(random, v[name])
		}
		return v
	case []any:
		if at := random.IntN(len(v) + 1); at < len(v) {
			v[at] = mutateTree(random, v[at])
			return v
		}
		return append(v, replacements[random.IntN(len(replacements))])
	default:
		return replacements[random.IntN(len(replacements))]
	}
}
