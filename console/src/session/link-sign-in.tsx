import { Button, Loader, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { countersign } from '../data/client.ts'
import { ErrorState } from '../ui/states.tsx'
import { useFinishSignIn } from './sign-in.tsx'

/** Signs in with a sandbox link, which works once. */
export function LinkSignIn({ token, leave }: { readonly token: string; readonly leave: () => void }) {
  const finish = useFinishSignIn(leave)
  const { mutate, isError, error } = useMutation({
    mutationFn: () => countersign.memberSessions.create({ type: 'LINK', token }),
    onSuccess: finish,
  })
  // React runs effects twice in development, but the link must be redeemed only once.
  const isUsed = useRef(false)
  useEffect(() => {
    if (isUsed.current) return
    isUsed.current = true
    mutate()
  }, [mutate])
  if (!isError)
    return (
      <Stack align="center">
        <Loader aria-label="Signing in" />
      </Stack>
    )
  return (
    <Stack>
      <ErrorState error={error} />
      <Button variant="default" onClick={leave}>
        Sign in another way
      </Button>
    </Stack>
  )
}
