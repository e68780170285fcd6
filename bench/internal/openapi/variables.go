package openapi

import "strings"

// Variables returns the environment variables with the address and the credentials of the generated server, and what they are for.
func (api *API) Variables() [][2]string {
	p := &printer{variables: variables(api)}
	address := "the address of the API, such as https://HOST" + clean(api.BaseURL)
	if strings.HasPrefix(api.BaseURL, "http") {
		address = "the address of the API, instead of " + clean(api.BaseURL)
	}
	all := [][2]string{{"BASE_URL", address}}
	for _, s := range api.Schemes {
		all = append(all, p.credentials(s)...)
	}
	return all
}
