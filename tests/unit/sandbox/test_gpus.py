from fmlbench.sandbox.isolation import own_devices


def test_a_run_sees_its_gpus_and_the_control_devices():
    devices = ["/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia10", "/dev/nvidiactl", "/dev/nvidia-uvm"]
    assert own_devices(devices, [1]) == ("/dev/nvidia1", "/dev/nvidiactl", "/dev/nvidia-uvm")
    assert own_devices(devices, [0, 10]) == ("/dev/nvidia0", "/dev/nvidia10", "/dev/nvidiactl", "/dev/nvidia-uvm")
