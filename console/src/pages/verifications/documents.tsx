import type { CustomerDocument } from '@countersign/contract/customers/documents'
import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import { Picture } from './picture.tsx'

type Document = Static<typeof CustomerDocument>

const ROWS_MAX = 100

/** The documents of a customer or an owner, next to the data that they confirm. */
export function Documents(props: {
  readonly holder: { readonly id: string; readonly name: string }
  readonly isOnly: boolean
}) {
  const { holder, isOnly } = props
  const query = useQuery({
    queryKey: ['verifications', 'documents', holder.id],
    queryFn: () => countersign.documents.list({ documentHolder: holder.id, limit: ROWS_MAX }),
  })
  return (
    <Panel title={isOnly ? 'Documents' : `Documents of ${holder.name}`}>
      <QueryResult query={query} lines={6}>
        {({ data }) =>
          data.length === 0 ? (
            <span className="soft">No document was sent.</span>
          ) : (
            <div className="stacked">
              {data.map((document) => (
                <DocumentView key={document.id} document={document} />
              ))}
            </div>
          )
        }
      </QueryResult>
    </Panel>
  )
}

interface DocumentFile {
  /** An object URL of the image or file in the browser's memory. */
  readonly url: string
  readonly isPicture: boolean
}

function DocumentView({ document }: { readonly document: Document }) {
  const { id, documentType, side, country, documentNumber, issuedOn, issuingAuthority, createdAt } = document
  const disabledReason = useMissingPermission('REVIEW', 'MANAGE')
  const file = useMutation({ mutationFn: () => readFile(id) })
  const shownFile = file.data
  useEffect(() => () => URL.revokeObjectURL(shownFile?.url ?? ''), [shownFile])
  const title = [formatConstant(documentType), side && formatConstant(side).toLowerCase()]
    .filter(Boolean)
    .join(', ')
  return (
    <article className="document" aria-label={title}>
      <h3 className="anywhere">{title}</h3>
      <Facts
        items={[
          ['Country', country],
          ['Number', documentNumber],
          ['Issued by', issuingAuthority],
          ['Issued on', issuedOn],
          ['File', document.fileName],
          ['Sent', <Time key="sent" at={createdAt} />],
        ]}
      />
      {shownFile?.isPicture && <Picture url={shownFile.url} title={title} />}
      {shownFile && !shownFile.isPicture && (
        <Button component="a" href={shownFile.url} download={document.fileName} variant="default">
          Save the file
        </Button>
      )}
      {!shownFile && (
        <ActionButton
          label="Show the file"
          successText={undefined}
          disabledReason={disabledReason}
          act={() => file.mutateAsync()}
          size="xs"
        />
      )}
      {file.isError && <ErrorState error={file.error} />}
    </article>
  )
}

/**
 * Fetches a file through a temporary link from this server. Creating the link and using it are both recorded.
 */
async function readFile(documentId: string): Promise<DocumentFile> {
  const { url } = await countersign.documents.link(documentId)
  // The link contains the server's public host name, but the console may be open under another one, so only
  // the path is used.
  const response = await fetch(new URL(url).pathname)
  if (!response.ok) throw new Error('The file cannot be read. The link may have expired: try again.')
  const blob = await response.blob()
  return { url: URL.createObjectURL(blob), isPicture: blob.type.startsWith('image/') }
}
