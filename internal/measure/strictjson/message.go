package strictjson

import "github.com/mcptool-go/mcptool/internal/envelope"

// Message reads the envelope of a message, in which objects and arrays nest at most maxDepth deep. As in [Decode], U+FFFD
// replaces what is not Unicode; readable is the text with it, to which m refers. If the text cannot be read, readable is the
// text, and m is Malformed, or a Response with an id and nothing else if the text is the response to a request.
func Message(text []byte, maxDepth int) (m envelope.Message, readable []byte, err error) {
	if err = m.Read(text, maxDepth); err == nil {
		return m, text, nil
	}
	readable = Repair(text)
	if err = m.Read(readable, maxDepth); err == nil {
		return m, readable, nil
	}
	if m.ID = envelope.FindResponseID(text); m.ID != nil {
		m.Kind = envelope.Response
	}
	return m, text, err
}
