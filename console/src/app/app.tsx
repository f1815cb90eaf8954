import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queryClient } from '../data/client.ts'
import { Gate } from '../session/gate.tsx'
import { getNonce } from './nonce.ts'
import { router } from './router.ts'
import { theme } from './theme.ts'

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={getNonce}>
      <QueryClientProvider client={queryClient}>
        <Gate>
          <RouterProvider router={router} />
        </Gate>
      </QueryClientProvider>
    </MantineProvider>
  )
}
