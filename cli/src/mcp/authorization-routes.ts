import { type AuthorizationServer, buildAuthorizationMetadata, buildJsonResponse } from './authorization.ts'
import { buildResourceMetadata, PATH, RESOURCE_METADATA_PATH } from './bearer.ts'

/** Reads a request body as text. Undefined if it is too large. */
export type ReadText = (request: Request) => Promise<string | undefined>

/**
 * Handles requests from a client that has no token yet: discovery, registration and sign-in. Returns
 * undefined for other paths. `origin` is this program's address as the client sees it.
 */
export async function handleAuthorization(
  server: AuthorizationServer,
  origin: string,
  request: Request,
  readText: ReadText,
): Promise<Response | undefined> {
  const { pathname, searchParams } = new URL(request.url)
  const withBody = async (handle: (text: string) => Response | Promise<Response>) => {
    const text = await readText(request)
    return text === undefined ? buildJsonResponse({ error: 'invalid_request' }, 413) : handle(text)
  }
  switch (`${request.method} ${pathname}`) {
    case `GET ${RESOURCE_METADATA_PATH}`:
    case `GET ${RESOURCE_METADATA_PATH}${PATH}`:
      return buildJsonResponse(buildResourceMetadata(origin))
    case 'GET /.well-known/oauth-authorization-server':
      return buildJsonResponse(buildAuthorizationMetadata(origin))
    case 'GET /authorize':
      return server.show(origin, searchParams)
    case 'POST /authorize':
      return withBody((text) => server.submit(origin, new URLSearchParams(text)))
    case 'POST /token':
      return withBody((text) => server.exchange(new URLSearchParams(text)))
    case 'POST /register':
      return withBody((text) => server.register(text))
    default:
      return undefined
  }
}
