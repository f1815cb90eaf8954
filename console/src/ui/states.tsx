import { ConnectionError, CountersignError } from '@countersign/sdk'
import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Shown when there is no data: why, and what to do next. */
export function EmptyState(props: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Title order={3}>{props.title}</Title>
      {props.children && (
        <Text c="dimmed" size="sm" maw={440}>
          {props.children}
        </Text>
      )}
      {props.action}
    </Stack>
  )
}

/** Shows a server error with a retry button. */
export function ErrorState({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div className="notice failed" role="alert">
      <span className="anywhere">{describeError(error)}</span>
      {retry && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** Describes an error in one sentence. */
export function describeError(error: unknown): string {
  if (error instanceof ConnectionError) return 'The server cannot be reached. It may be restarting.'
  if (error instanceof CountersignError) return error.reason ?? error.message
  return error instanceof Error ? error.message : String(error)
}

/** Placeholder lines with about the height of the content being loaded. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // The lines never change their order, so the index is a stable key.
        <Skeleton key={line} h={20} w={line % 3 === 2 ? '60%' : '100%'} />
      ))}
    </Stack>
  )
}
