package mcptool

// Image is a picture. Data is the content of the file, not encoded as base64, and must not be empty. MIMEType is
// required and starts with "image/".
type Image struct {
	Data        []byte
	MIMEType    string
	Annotations *Annotations
	Meta        map[string]any
}

func (c Image) finish(fs *findings) Content {
	checkMedia(fs, c.Data, c.MIMEType, "image/", "image/png")
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c Image) write(w blockWriter) []byte {
	return w.open("image").binary("data", c.Data).token("mimeType", c.MIMEType).close(c.Annotations, c.Meta)
}

func (Image) older(string, int) Content { return nil }
