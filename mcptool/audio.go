package mcptool

import (
	"fmt"
	"strconv"
)

// Audio is a recording. Data is the content of the file, not encoded as base64, and must not be empty. MIMEType is
// required and starts with "audio/". Clients of revision 2024-11-05 do not support audio: they get the same data as an
// [EmbeddedResource], or if it is larger than 1 MiB a line of [Text] that describes it.
type Audio struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        map[string]any
}

func (c Audio) finish(fs *findings) Content {
	checkMedia(fs, c.Data, c.MIMEType, "audio/", "audio/wav")
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c Audio) write(w blockWriter) []byte {
	return w.open("audio").binary("data", c.Data).token("mimeType", c.MIMEType).close(c.Annotations, c.Meta)
}

// audioAsResourceLimit is the largest recording that is sent as a resource to clients
// that have no audio. They can only store it, or put it before a model as text.
const audioAsResourceLimit = 1 << 20

func (c Audio) older(revision string, n int) Content {
	switch {
	case revision >= "2025-03-26":
		return nil
	case len(c.Data) > audioAsResourceLimit:
		text := fmt.Sprintf("[A recording of type %s and %d bytes was left out: this client's protocol has no audio.]", c.MIMEType, len(c.Data))
		return Text{Text: text, Annotations: c.Annotations, Meta: c.Meta}
	default:
		return EmbeddedResource{
			URI:      "attachment:audio/" + strconv.Itoa(n+1),
			MIMEType: c.MIMEType, Blob: c.Data, Annotations: c.Annotations, Meta: c.Meta,
		}
	}
}
