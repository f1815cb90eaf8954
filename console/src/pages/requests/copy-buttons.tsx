import { API_VERSION } from '@countersign/contract/core/api-version'
import type { LoggedRequest } from '@countersign/contract/operation/request-log'
import { useClipboard } from '@mantine/hooks'
import type { Static } from 'typebox'
import { ActionButton } from '../../ui/action-button.tsx'

const CUT = 'The SDK has no method for this call, or its body was truncated.'

/** Copies the request as a command or as code. Masked values must be filled in. */
export function CopyButtons({ request }: { readonly request: Static<typeof LoggedRequest> }) {
  const { copy } = useClipboard()
  return (
    <>
      <ActionButton
        label="Copy as curl"
        act={async () => {
          const { formatCurl } = await import('./call-text.ts')
          copy(formatCurl(request, `${location.origin}/${API_VERSION}`))
        }}
        successText="Curl command copied. It reads TOKEN_ID and CLIENT_SECRET. Fill in the masked values."
      />
      <ActionButton
        label="Copy as SDK call"
        act={async () => {
          const { formatSdkCall } = await import('./call-text.ts')
          const text = formatSdkCall(request)
          if (text === undefined) throw new Error(CUT)
          copy(text)
        }}
        successText="SDK call copied. Fill in the masked values."
      />
    </>
  )
}
