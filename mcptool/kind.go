package mcptool

// itemKind is a kind of registry items.
type itemKind uint8

const (
	kindTool itemKind = iota
	kindPrompt
	kindResource
	anyKind // of a key of the mcp tag that applies to every kind
)

// itemWords are the words for each kind in messages. The key is unique among items of the kind.
var itemWords = [...]struct{ noun, keyName, constructor string }{
	kindTool:     {"tool", "name", "New or NewRaw"},
	kindPrompt:   {"prompt", "name", "NewPrompt"},
	kindResource: {"resource", "URI", "NewResource"},
}

// String returns the noun: tool, prompt or resource.
func (k itemKind) String() string { return itemWords[k].noun }
