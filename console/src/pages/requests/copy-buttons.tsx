import { API_VERSION } from '@countersign/contract/core/api-version'
import type { LoggedRequest } from '@countersign/contract/operation/request-log'
import { useClipboard } from '@mantine/hooks'
import type { Static } from 'typebox'
import { ActionButton } from '../../ui/action-button.tsx'

const CUT = 'The call has no verb in the SDK, or its body was cut.'

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
        done="Copied the curl command. It reads TOKEN_ID and CLIENT_SECRET; fill in what is masked."
      />
      <ActionButton
        label="Copy as SDK call"
        act={async () => {
          const { formatSdkCall } = await import('./call-text.ts')
          const text = formatSdkCall(request)
          if (text === undefined) throw new Error(CUT)
          copy(text)
        }}
        done="Copied the SDK call. Fill in what is masked."
      />
    </>
  )
}
