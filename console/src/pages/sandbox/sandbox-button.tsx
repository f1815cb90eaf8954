import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { loadWhenIdle } from '../../data/idle-loads.ts'
import type { SandboxTab } from './sandbox-drawer.tsx'

const SandboxDrawer = lazy(
  loadWhenIdle(async () => ({ default: (await import('./sandbox-drawer.tsx')).SandboxDrawer })),
)

/** Opens the sandbox tools, by default at the inbox. */
export function SandboxButton(props: { readonly label?: string; readonly tab?: SandboxTab }) {
  const { label = 'Sandbox', tab = 'inbox' } = props
  const [isOpen, { open, close }] = useDisclosure(false)
  // Loaded on first use and kept mounted, so that closing is animated.
  const [wasOpen, { open: load }] = useDisclosure(false)
  return (
    <>
      <Button
        variant="default"
        className="waits"
        size="xs"
        onClick={() => {
          load()
          open()
        }}
      >
        {label}
      </Button>
      {wasOpen && (
        <Suspense fallback={null}>
          <SandboxDrawer isOpen={isOpen} close={close} tab={tab} />
        </Suspense>
      )}
    </>
  )
}
