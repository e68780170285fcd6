package openapi

// Variables returns the environment variables with the credentials of the generated server, and what they are for.
func (api *API) Variables() [][2]string {
	p := &printer{variables: variables(api)}
	var all [][2]string
	for _, s := range api.Schemes {
		all = append(all, p.credentials(s)...)
	}
	return all
}
